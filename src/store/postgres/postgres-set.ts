import type {
  FromNode,
  InsertQueryNode,
  KyselyPlugin,
  OffsetNode,
  OperationNode,
  RawNode,
  RootOperationNode,
  SelectionNode,
  SelectQueryNode,
  ValueListNode,
} from 'kysely'
import {
  type Argument,
  type CompileSet,
  named,
  Placeholder,
  rawSql,
  type SetStatement,
} from '../statement.ts'

/*
 * A statement for a set of rows as PostgreSQL executes it: once, joined with the rows, which are parameters. Each column of the
 * rows is one array, and `unnest` makes rows of them again. Their names have a prefix, because columns of the table that
 * is changed may be called the same.
 */

const nameOf = (column: string) => `given_${column}`

/** Compiles a statement for sets into one that takes all rows at once. */
export const compileAsOne: CompileSet = (sql, statement) => {
  const columns = Object.keys(statement.columns)
  const given = (column: string) => rawSql(`given.${nameOf(column)}`)
  const query = statement.build(sql, given as unknown as Argument<never>)
  const compiled = query.withPlugin(joinedWith(rowsNode(statement))).compile()
  const slots = compiled.parameters
  return {
    ...named(compiled.sql),
    executions: (rows) => {
      const arrays = new Map(columns.map((column) => [column, arrayOf(rows.map((row) => row[column]))]))
      return [slots.map((slot) => (slot instanceof Placeholder ? arrays.get(slot.name) : slot))]
    },
  }
}

const toEscape = /["\\]/g

/**
 * Writes an array as PostgreSQL reads it (its documentation, 8.15.6). The driver can do that as well, in three times the time,
 * because it does not know what the values may be.
 */
function arrayOf(values: readonly unknown[]): string {
  const elements = values.map((value) => {
    if (value === null || value === undefined) return 'NULL'
    if (typeof value === 'string') return `"${value.replace(toEscape, '\\$&')}"`
    if (value instanceof Uint8Array) return `"\\\\x${value.toHex()}"`
    return String(value)
  })
  return `{${elements.join()}}`
}

function rowsNode({ columns }: Pick<SetStatement<unknown, unknown>, 'columns'>): RawNode {
  const entries = Object.entries<string>(columns)
  const casts = entries.map(([, type]) => `::${type === 'bytes' ? 'bytea' : type}[]`)
  return {
    kind: 'RawNode',
    sqlFragments: [
      'unnest(',
      ...casts.map((cast, index) => (index < casts.length - 1 ? `${cast}, ` : cast)),
    ].with(-1, `${casts.at(-1)}) as given(${entries.map(([column]) => nameOf(column)).join(', ')})`),
    parameters: entries.map(([column]) => ({ kind: 'ValueNode', value: new Placeholder(column) })),
  }
}

/** Lets a query range over the given rows, beside what it ranges over already. */
function joinedWith(rows: RawNode): KyselyPlugin {
  return {
    transformQuery: ({ node }) => joined(node, rows),
    transformResult: async ({ result }) => result,
  }
}

function joined(node: RootOperationNode, rows: RawNode): RootOperationNode {
  const from: FromNode = { kind: 'FromNode', froms: [rows] }
  switch (node.kind) {
    case 'UpdateQueryNode':
      return { ...node, from }
    case 'DeleteQueryNode':
      return { ...node, using: { kind: 'UsingNode', tables: [rows] } }
    case 'InsertQueryNode':
      return { ...node, values: selection(from, valuesOf(node)) }
    case 'SelectQueryNode':
      return lateral(node, from)
    default:
      throw new Error(`a ${node.kind} cannot be executed for a set of rows`)
  }
}

function valuesOf({ values }: InsertQueryNode): readonly OperationNode[] {
  const [row] =
    values?.kind === 'ValuesNode' ? ((values as { values?: readonly ValueListNode[] }).values ?? []) : []
  if (row?.kind !== 'ValueListNode') throw new Error('a statement for sets inserts the values of one row')
  return row.values
}

/**
 * `select found.* from given cross join lateral (… offset 0) as found`: so the query may have an order and a limit for each row. The
 * offset changes nothing that is found, but PostgreSQL joins nothing across it: it looks for each row by itself, and never matches all
 * rows with all that a wall lets through, as it does if it has no statistics of a table.
 */
function lateral(query: SelectQueryNode, from: FromNode): SelectQueryNode {
  const offset = { kind: 'OffsetNode', offset: rawSql('0').toOperationNode() } as OffsetNode
  const found: OperationNode = {
    kind: 'RawNode',
    sqlFragments: ['', ' as found'],
    parameters: [{ kind: 'ParensNode', node: { offset, ...query } } as OperationNode],
  } as RawNode
  const join = { kind: 'JoinNode', joinType: 'LateralCrossJoin', table: found } as const
  return { ...selection(from, [rawSql('found.*').toOperationNode()]), joins: [join] }
}

function selection(from: FromNode, selected: readonly OperationNode[]): SelectQueryNode {
  const selections = selected.map((node) => ({ kind: 'SelectionNode', selection: node }) as SelectionNode)
  return { kind: 'SelectQueryNode', from, selections }
}
