import { registerHooks } from 'node:module'

/*
 * A test run starts some thousand processes and threads that load the same modules. To find a module, Node looks for its file, its
 * links, its package and its kind, which takes a third of such a start. An import by a relative path says all that itself, in
 * our own files and in the two dependencies that consist of hundreds. In plain JavaScript, because it is loaded first.
 */

const manyModules = /\/node_modules\/(kysely|typebox)\//

registerHooks({
  resolve(specifier, context, next) {
    const { parentURL } = context
    if (specifier[0] !== '.' || !parentURL?.startsWith('file:')) return next(specifier, context)
    const isOurs = specifier.endsWith('.ts')
    if (!isOurs && !manyModules.test(parentURL)) return next(specifier, context)
    const { href } = new URL(specifier, parentURL)
    return { url: href, format: isOurs ? 'module-typescript' : 'module', shortCircuit: true }
  },
})
