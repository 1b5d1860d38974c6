/** A file of the console, ready to be served. */
export interface ConsoleFile {
  readonly contentType: string
  readonly body: Buffer
  /** The same for browsers that accept gzip, as all do. */
  readonly gzipped: Buffer
}

export interface ConsoleFiles {
  /** A digest of all of them: the folder that the page asks for them in, so that browsers can keep them for good. */
  readonly digest: string
  /** By their paths in that folder. */
  readonly files: ReadonlyMap<string, ConsoleFile>
  /** The scripts that every screen needs. */
  readonly preloaded: readonly string[]
}

/** A page in the browser, named after its folder in `src/web`. */
export type PageName = 'console' | 'link-page'

/** The script that a page begins with. */
export const entryOf = (page: PageName) => `web/${page}/main.ts`
