/**
 * The parts of Node's `node:http` that the server uses. An import of `node:http` looks at everything that it exports, which loads the
 * client behind `fetch` as well: 4 MB.
 */
export const {
  IncomingMessage,
  request: requestHttp,
  Server,
  ServerResponse,
  STATUS_CODES,
  validateHeaderName,
  validateHeaderValue,
} = process.getBuiltinModule('node:http')
