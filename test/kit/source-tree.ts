import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Node, SyntaxKind } from 'typescript/unstable/ast'
import { API } from 'typescript/unstable/sync'

/** One file that is named by another: by an import, an export, a type, or a URL relative to it. */
export interface Reference {
  /** As it is written. */
  readonly specifier: string
  /** The path of the file from the root of the repository; undefined for packages and for Node's own modules. */
  readonly target: string | undefined
  readonly line: number
}

export interface FunctionFound {
  readonly name: string
  readonly line: number
  readonly length: number
}

export interface SourceFile {
  /** From the root of the repository, with slashes. */
  readonly path: string
  readonly lines: number
  readonly references: readonly Reference[]
  readonly functions: readonly FunctionFound[]
  /** The lines with the type `any`. */
  readonly anys: readonly number[]
  /** The lines on which something of `console` is used. */
  readonly consoles: readonly number[]
}

export const root = fileURLToPath(new URL('../..', import.meta.url))

/** Projects for Node and for browsers. */
const projects = ['tsconfig.json', 'src/web/console/tsconfig.json', 'src/web/link-page/tsconfig.json']

/** Reads every TypeScript file of the project with TypeScript's own parser, and the few entry points in JavaScript. */
export function readSourceTree(): SourceFile[] {
  const api = new API({ cwd: root })
  try {
    const openProjects = projects.map((name) => join(root, name))
    const found = api.updateSnapshot({ openProjects }).getProjects()
    if (found.length !== projects.length) throw new Error(`TypeScript does not find all of ${projects}`)
    const files = found.flatMap(({ rootFiles, program }) =>
      rootFiles.flatMap((name) => {
        const source = program.getSourceFile(name)
        return source ? [new Examination(name, source.text).of(source)] : []
      }),
    )
    return [...files, ...readBeginnings()]
  } finally {
    api.close()
  }
}

/** The files in JavaScript under src. They are a few lines each, so that finding what they import takes no parser. */
function readBeginnings(): SourceFile[] {
  const names = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  const paths = names.filter((name) => name.endsWith('.js')).map((name) => `src/${name.split(sep).join('/')}`)
  return paths.map((path) => {
    const lines = readFileSync(join(root, path), 'utf8').trimEnd().split('\n')
    const references = lines.flatMap((text, index) => {
      const specifier = /(?:\bfrom |\bimport\()'(\.[^']+)'/.exec(text)?.[1]
      return specifier === undefined ? [] : [referenceOf(path, specifier, index + 1)]
    })
    const consoles = lines.flatMap((text, index) => (text.includes('console.') ? [index + 1] : []))
    return { path, lines: lines.length, references, functions: [], anys: [], consoles }
  })
}

/** Packages have no target; files have theirs from the root of the repository. */
function referenceOf(path: string, specifier: string, line: number): Reference {
  if (!specifier.startsWith('.')) return { specifier, target: undefined, line }
  const target = relative(root, resolve(root, path, '..', specifier))
  return { specifier, target: target.split(sep).join('/'), line }
}

/** True for files that hold code, by their names. */
export function isModule(path: string | undefined): path is string {
  return path !== undefined && /\.[jt]s$/.test(path)
}

/** The text files that git knows, and that are there. */
export function trackedTexts(): { path: string; text: string }[] {
  const names = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).split('\0')
  const there = names.filter(
    (name) => name !== '' && existsSync(join(root, name)) && statSync(join(root, name)).isFile(),
  )
  return there
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
    .filter(({ text }) => !text.includes('\0'))
}

const functionKinds = new Set<SyntaxKind>([
  SyntaxKind.FunctionDeclaration,
  SyntaxKind.FunctionExpression,
  SyntaxKind.ArrowFunction,
  SyntaxKind.MethodDeclaration,
  SyntaxKind.Constructor,
  SyntaxKind.GetAccessor,
  SyntaxKind.SetAccessor,
])

/** Walks over one file and notes what the rules ask about. */
class Examination {
  readonly #path: string
  readonly #text: string
  readonly #lineStarts: number[]
  readonly #references: Reference[] = []
  readonly #functions: FunctionFound[] = []
  readonly #anys: number[] = []
  readonly #consoles: number[] = []

  constructor(name: string, text: string) {
    this.#path = relative(root, name).split(sep).join('/')
    this.#text = text
    this.#lineStarts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)]
  }

  of(source: Node): SourceFile {
    this.#visit(source)
    const lines = this.#text.endsWith('\n') ? this.#lineStarts.length - 1 : this.#lineStarts.length
    return {
      path: this.#path,
      lines,
      references: this.#references,
      functions: this.#functions,
      anys: this.#anys,
      consoles: this.#consoles,
    }
  }

  #visit(node: Node): void {
    if (functionKinds.has(node.kind)) this.#noteFunction(node)
    if (node.kind === SyntaxKind.AnyKeyword) this.#anys.push(this.#lineOf(node.getStart()))
    this.#noteReference(node)
    this.#noteConsole(node)
    node.forEachChild((child) => this.#visit(child))
  }

  #noteFunction(node: Node): void {
    const line = this.#lineOf(node.getStart())
    const { name } = node as Node & { readonly name?: Node }
    const { name: holder } = node.parent as Node & { readonly name?: Node }
    const called = name?.getText() ?? holder?.getText() ?? this.#calleeOf(node)
    this.#functions.push({ name: called, line, length: this.#lineOf(node.end) - line + 1 })
  }

  /** A function that is given to another is named after that. */
  #calleeOf(node: Node): string {
    const { expression } = node.parent as Node & { readonly expression?: Node }
    return node.parent.kind === SyntaxKind.CallExpression && expression
      ? `${expression.getText()}(…)`
      : 'a function'
  }

  #noteReference(node: Node): void {
    const specifier = specifierOf(node)
    if (specifier === undefined) return
    this.#references.push(referenceOf(this.#path, specifier, this.#lineOf(node.getStart())))
  }

  #noteConsole(node: Node): void {
    if (node.kind !== SyntaxKind.PropertyAccessExpression) return
    const { expression } = node as Node & { readonly expression: Node }
    if (expression.kind === SyntaxKind.Identifier && expression.getText() === 'console')
      this.#consoles.push(this.#lineOf(node.getStart()))
  }

  #lineOf(position: number): number {
    let low = 0
    let high = this.#lineStarts.length
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((this.#lineStarts[middle] as number) <= position) low = middle
      else high = middle
    }
    return low + 1
  }
}

/** The file or package that a node names, if it is of the kinds that do. */
function specifierOf(node: Node): string | undefined {
  const {
    moduleSpecifier,
    argument,
    expression,
    arguments: args,
  } = node as Node & {
    readonly moduleSpecifier?: Node
    readonly argument?: Node & { readonly literal?: Node }
    readonly expression?: Node
    readonly arguments?: readonly Node[]
  }
  switch (node.kind) {
    case SyntaxKind.ImportDeclaration:
    case SyntaxKind.ExportDeclaration:
      return literal(moduleSpecifier)
    case SyntaxKind.ImportType:
      return literal(argument?.literal)
    case SyntaxKind.CallExpression:
      return expression?.kind === SyntaxKind.ImportKeyword ? literal(args?.[0]) : undefined
    case SyntaxKind.NewExpression:
      // True for the module of a thread or a child process.
      return expression?.getText() === 'URL' &&
        args?.[1]?.getText() === 'import.meta.url' &&
        isModule(literal(args[0]))
        ? literal(args[0])
        : undefined
    default:
      return undefined
  }
}

function literal(node: Node | undefined): string | undefined {
  return node?.kind === SyntaxKind.StringLiteral ? (node as Node & { readonly text: string }).text : undefined
}
