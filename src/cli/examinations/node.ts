import { type Finding, fail, ok } from './finding.ts'

/** The oldest Node whose built-in SQLite and type stripping do what Posthorn needs. */
const oldest = 24

/** Examines the Node that runs this, which is the one that would run the server. */
export function examineNode(): Finding {
  const major = Number(process.versions.node.split('.')[0])
  if (major >= oldest) return ok('Node', process.version)
  return fail(
    'Node',
    `${process.version} is too old`,
    'run `npm ci`, then use `npm start` and `npx posthorn`',
  )
}
