/** The test that types the commands of a page, or the reason why none does: for the whole page, or below a heading. */
type Account = { readonly by: string } | { readonly not: string }

const anotherMachine = 'It needs root, a package manager or a service of the whole machine.'
const another = 'It calls a server that the reader has, and this test checks its words.'
const docker =
  'It needs Docker, and a registry that no test may ask; test/deploy/install-commands.test.ts checks its words.'

/** Accounts of the blocks of commands. `*` stands for every heading of the page that has no account of its own. */
export const typed: Readonly<Record<string, Readonly<Record<string, Account>>>> = {
  'README.md': {
    'Three ways to start': {
      not: 'test/scenarios/operating/starting.test.ts types npm start; the others need Docker, or a package that is not published yet.',
    },
    'The first message': { by: 'test/docs/first-steps.test.ts' },
    Licence: {
      not: 'It installs all packages anew; install.test.ts and optional-packages.test.ts in test/scenarios/operating play what follows.',
    },
  },
  'docs/start.md': {
    'An XMPP account': {
      not: 'It needs an XMPP account with a provider; docs/local-prosody.md has one on the machine.',
    },
    'Your first Telegram bot': { by: 'test/docs/start-telegram.test.ts' },
    '*': { by: 'test/docs/first-steps.test.ts' },
  },
  'docs/conversations.md': { '*': { by: 'test/docs/conversations.test.ts' } },
  'docs/groups.md': { '*': { by: 'test/docs/groups.test.ts' } },
  'docs/clients.md': { '*': { by: 'test/clients/python/documentation.test.ts' } },
  'docs/command-line.md': {
    Completion: { not: 'test/scenarios/operating plays the completion of bash with its words.' },
    '*': { not: another },
  },
  'docs/configuration.md': { Examples: { not: 'They are settings; the settings themselves have tests.' } },
  'docs/console.md': { 'Open it': { not: another } },
  'docs/forwarding.md': {
    '*': { not: 'It needs a broker; test/forwarding runs the same command with real ones.' },
  },
  'docs/install.md': {
    'The image': { not: docker },
    Compose: { not: docker },
    'Caddy or nginx': { by: 'test/deploy/install-commands.test.ts' },
    'A clone': { not: 'It clones; test/scenarios/operating/starting.test.ts types npm start.' },
    'The npm package': {
      not: 'The package has no version in a registry; test/deploy/npm installs it from one on this machine.',
    },
    'Leave out what you do not need': { not: 'The same package; test/deploy/npm installs it.' },
    '*': { not: anotherMachine },
  },
  'docs/local-prosody.md': {
    '*': { not: 'It needs root, and a client with a screen; scenarios play the same with Prosody.' },
  },
  'docs/mcp.md': { '*': { not: 'It needs an assistant; test/mcp plays one.' } },
  'docs/monitoring.md': { '*': { not: anotherMachine } },
  'docs/operations.md': {
    'Give out keys': { by: 'test/docs/commands.test.ts' },
    '*': {
      not: 'It needs a server in service; test/scenarios/operating plays backups, restores and damage.',
    },
  },
  'docs/releasing.md': { '*': { not: 'It changes the repository.' } },
  'docs/several-nodes.md': { '*': { not: docker } },
  'docs/whatsapp.md': { '*': { by: 'test/scenarios/operating/docs-whatsapp.test.ts' } },
  'docs/whatsapp-cloud.md': { '*': { by: 'test/scenarios/operating/docs-whatsapp-cloud.test.ts' } },
  'docs/migration/evolution-api.md': { '*': { not: another } },
  'docs/migration/waha.md': { '*': { not: another } },
  'clients/javascript/README.md': { '*': { by: 'test/clients/javascript/built-client.ts' } },
  'integrations/chatwoot/README.md': {
    '*': { not: 'It needs a Chatwoot; the tests of the integration play one.' },
  },
  'integrations/n8n/README.md': { '*': { not: 'It needs an n8n; the tests of the integration play one.' } },
}
