import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Accounts } from './accounts.ts'
import { Callbacks } from './callbacks.ts'
import { Control } from './control.ts'
import { isTaken } from './faults.ts'
import { type Call, callOf, Graph, type Outcome } from './graph.ts'
import { GraphError } from './graph-error.ts'
import { Groups } from './groups/groups.ts'
import { json, readBody, readJson, send, sendFaulty } from './http.ts'
import { Limits } from './limits.ts'
import { People } from './people.ts'
import { Media } from './sending/media.ts'
import { largestUpload } from './sending/media-rules.ts'
import { Messages } from './sending/messages.ts'
import { Statuses } from './sending/statuses.ts'
import { World } from './world.ts'

export interface RunningServer {
  /** Address of the Graph API, without a slash at its end. */
  readonly url: string
  stop(): void
}

/** Starts the far end of the Cloud API, without people, on a free port of the loopback interface. */
export async function startServer(appSecret: string): Promise<RunningServer> {
  const world = new World(appSecret)
  const callbacks = new Callbacks(world)
  const statuses = new Statuses(world, callbacks)
  const media = new Media(world, () => url)
  const messages = new Messages(world, statuses, new Limits(world))
  const groups = new Groups(world, callbacks)
  const graph = new Graph(world, { messages, media, accounts: new Accounts(world, callbacks), groups })
  const people = new People(world, callbacks, statuses, media)
  const control = new Control(world, { callbacks, statuses, people, groups })

  const server = createServer((request, response) => {
    const path = request.url ?? ''
    const handled = path.startsWith('/control/')
      ? obey(control, path.slice('/control/'.length), request, response)
      : serve(world, graph, request, response)
    handled.catch((error: unknown) => response.destroy(error as Error))
  })
  // For longer than a play lasts: a caller on a busy machine is late to see that an idle connection was closed, and would still use it.
  server.keepAliveTimeout = 3_600_000
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    stop() {
      callbacks.stop()
      server.close()
      server.closeAllConnections()
    },
  }
}

async function obey(
  control: Control,
  name: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const asked = await readJson(request, 2 * largestUpload)
    send(response, json(200, await control.do(name, asked)))
  } catch (error) {
    const { message } = error as Error
    send(
      response,
      json(400, { error: error instanceof GraphError ? `${message} ${error.details}` : message }),
    )
  }
}

async function serve(
  world: World,
  graph: Graph,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const call = callOf(request)
  if (!call) {
    send(response, graph.refuse('unknown', new GraphError(2500, 'There is no such path or method.')))
    return
  }
  const fault = world.httpFaults.for(call)
  const { reply, afterwards } = fault && !isTaken(fault) ? await ignored(call) : await graph.do(call)
  if (fault) await sendFaulty(response, reply, fault)
  else send(response, reply)
  afterwards?.()
}

/** Reads a request without doing what it asks for. */
async function ignored({ request }: Call): Promise<Outcome> {
  await readBody(request, 2 * largestUpload)
  return { reply: json(200, {}) }
}
