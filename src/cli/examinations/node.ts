import { type Finding, ok } from './finding.ts'

/** Names the Node that runs this, which is the one that would run the server; `node-version.js` has refused any that is too old. */
export function examineNode(): Finding {
  return ok('Node', process.version)
}
