import type { CodeMeaning } from '../../contract/codes.ts'

const look = 'Look at the templates of the account (`GET /v1/instances/{name}/templates`).'

/**
 * Reasons why a message that is made from a template may be refused. A network with templates documents these with its own
 * errors.
 */
export const templateErrors = {
  template_unknown: {
    happened: 'The account has no approved template with this name in this language.',
    next: `Check the name and the language, or wait until the template is approved. ${look}`,
  },
  template_parameters_wrong: {
    happened:
      'The components do not fit the template: their parameters are too many, too few or of another type.',
    next: `Compare them with the placeholders of the template. ${look}`,
  },
  template_too_long: {
    happened: 'With these parameters, the text of the template is too long.',
    next: 'Send shorter parameters.',
  },
  template_policy: {
    happened: 'With these parameters, the text of the template violates a policy of the network.',
    next: 'Change the parameters, or the template.',
  },
  template_paused: {
    happened: 'The network has paused the template, because recipients did not like what they got.',
    next: `Use another template, or wait until this one is approved again. ${look}`,
  },
  template_disabled: {
    happened: 'The network has disabled the template.',
    next: `Use another template. ${look}`,
  },
  template_refused: {
    happened: 'The network refused to send a message from this template.',
    next: 'Look up `network_code` in the documentation of the network.',
  },
} satisfies Record<string, CodeMeaning>
export type TemplateErrorCode = keyof typeof templateErrors
