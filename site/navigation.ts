/** Pages by what readers want to do, from the root of the repository. */
export const navigation: Readonly<Record<string, readonly string[]>> = {
  Start: [
    'README.md',
    'docs/start.md',
    'docs/install.md',
    'docs/migration/evolution-api.md',
    'docs/migration/waha.md',
    'docs/local-prosody.md',
  ],
  Call: [
    'docs/conversations.md',
    'docs/groups.md',
    'docs/clients.md',
    'clients/javascript/README.md',
    'docs/command-line.md',
    'docs/mcp.md',
    'docs/forwarding.md',
    'integrations/chatwoot/README.md',
    'integrations/n8n/README.md',
    'docs/message-life.md',
  ],
  Link: ['docs/instance-lifecycle.md', 'docs/whatsapp.md', 'docs/whatsapp-cloud.md'],
  Operate: [
    'docs/configuration.md',
    'docs/operations.md',
    'docs/monitoring.md',
    'docs/console.md',
    'SECURITY.md',
  ],
  Scale: ['docs/several-nodes.md', 'docs/scale.md', 'docs/performance.md'],
  'Work on it': [
    'ARCHITECTURE.md',
    'CONTRIBUTING.md',
    'CHANGELOG.md',
    'docs/console-review.md',
    'docs/releasing.md',
    'docs/decisions/README.md',
  ],
}

/** Pages of `docs` that have no place yet, so that a new one is never out of reach. */
export function unplaced(pages: readonly string[]): string[] {
  const placed = new Set(Object.values(navigation).flat())
  return pages.filter((page) => /^docs\/(?!decisions\/)/.test(page) && !placed.has(page))
}
