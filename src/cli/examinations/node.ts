import { type Finding, findingsOn } from './finding.ts'

const node = findingsOn('Node')

/** Names the Node that runs this, which is the one that would run the server; `node-version.js` has refused any that is too old. */
export function examineNode(): Finding {
  return node.ok(process.version)
}
