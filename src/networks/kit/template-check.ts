import { type InvalidValue, Problem } from '../../contract/problem.ts'
import {
  deepestComponents,
  longestComponents,
  type MessageTemplate,
} from '../../contract/resources/template.ts'
import { type Validate, validator } from '../../contract/validate.ts'
import type { Driver } from '../driver/driver.ts'
import type { Networks } from '../driver/registry.ts'
import { isShallow } from './json.ts'

const validators = new WeakMap<Driver, Validate>()

/** Everything that the network of a driver with templates has against one, as far as that is known without asking it. */
export function templateFaults(driver: Driver, template: MessageTemplate): InvalidValue[] {
  const { templates } = driver
  if (!templates) return []
  const { components } = template
  if (Buffer.byteLength(JSON.stringify(components)) > longestComponents)
    return [componentsFault('too_long', `The components may have at most ${longestComponents / 1024} KB.`)]
  if (!isShallow(components, deepestComponents))
    return [
      componentsFault('too_deep', `The components may be nested at most ${deepestComponents} levels deep.`),
    ]
  let check = validators.get(driver)
  if (!check) {
    check = validator(templates.component)
    validators.set(driver, check)
  }
  const shapes = components.flatMap((component, index) =>
    (check?.(component) ?? []).map((fault) => ({
      ...fault,
      pointer: `/components/${index}${fault.pointer}`,
    })),
  )
  return shapes.length > 0 ? shapes.slice(0, maxFaults) : [...templates.faults(template)]
}

const maxFaults = 50

function componentsFault(code: string, detail: string): InvalidValue {
  return { pointer: '/components', code, detail }
}

/** The problem of a network that has no templates: it names those that have them. */
export function noTemplates(networks: Networks): Problem {
  const others = [...networks.values()].filter(({ templates }) => templates)
  const named = others.map(({ network }) => `\`${network}\``).join(', ')
  const detail =
    others.length === 0
      ? 'No network of this server has templates. Send a text or a file.'
      : `The network of this instance has no templates; these have them: ${named}. Send a text or a file, or choose an instance of ` +
        'such a network.'
  return new Problem('templates_not_supported', { detail })
}
