// What the tests of webhooks share: a real receiver, and waiting for what it gets.

import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

type Got = { readonly body: string; readonly headers: IncomingHttpHeaders }

/** A receiver whose next answers can be set, or that is down; 200 unless told otherwise. */
export async function startReceiver() {
  const got: Got[] = []
  /** Deliveries by their ids, without what was sent again because the answer came late. */
  const distinct = new Map<unknown, Got>()
  const answers: (number | 'reset')[] = []
  /** Bodies that it was given while it was up. */
  const accepted: string[] = []
  const state = { isDown: false }
  const server: Server = createServer(async (request, response) => {
    let body = ''
    for await (const part of request) body += part
    const received = { body, headers: request.headers }
    got.push(received)
    const id = received.headers['x-rookery-delivery']
    if (!distinct.has(id)) distinct.set(id, received)
    const answer = state.isDown ? 500 : (answers.shift() ?? 200)
    if (answer === 200) accepted.push(body)
    if (answer === 'reset') request.socket.destroy()
    else response.writeHead(answer).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return {
    got,
    distinct,
    answers,
    accepted,
    state,
    url,
    close,
    events: () => got.map(({ body }) => JSON.parse(body)),
  }
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>
