/** Signs of a test file that can reach those beside it in a process. */
const reaching = [
  // Processes and servers that the kits start.
  /\/test\/(kit|simulators|conformance)\//,
  /from 'node:(child_process|cluster|dgram|dns|http|https|net|tls|worker_threads)/,
  /openSqlite|openPostgres|\.listen\(|startServer|new Worker/,
  // Hooks of the whole process, and what is global in it.
  /^(?:before|after|beforeEach|afterEach)\(/m,
  /\b(?:mock|process|globalThis)\b[.,]/,
  /\b(?:setTimeout|setInterval)\b/,
]

/** True if a test file only calls functions, so that it can share a process with others of its kind. */
export function isPure(text: string): boolean {
  return !reaching.some((reach) => reach.test(text))
}
