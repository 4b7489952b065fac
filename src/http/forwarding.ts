import { Agent, type IncomingMessage, type RequestListener, request as send } from 'node:http'
import { connect, type Socket } from 'node:net'
import { pipeline } from 'node:stream'

// A serving thread hands what it does not answer itself to the process's own thread, as a reverse proxy does.

/** Headers that concern one connection and must not be forwarded. */
const HOP_BY_HOP = /^(?:connection|keep-alive|transfer-encoding)$/i

/**
 * Makes what hands requests on, over the local socket of `receiveForwarded`. Each connection of a client has one there,
 * which ends with it: what it forwards is answered in order, and its idle time and its address are those of the client.
 */
export function createForwarder(path: string): RequestListener {
  const agents = new WeakMap<Socket, Agent>()

  const agentOf = (client: Socket): Agent => {
    const known = agents.get(client)
    if (known) return known
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const { remoteAddress = '' } = client
    agent.createConnection = () => {
      const socket = connect(path)
      socket.write(`${remoteAddress}\n`)
      return socket
    }
    agents.set(client, agent)
    client.once('close', () => agent.destroy())
    return agent
  }

  return (request, response) => {
    const { method, url, rawHeaders, httpVersion, socket } = request
    const forwarded = send({
      agent: agentOf(socket),
      method,
      path: url,
      headers: httpVersion === '1.0' ? [...rawHeaders, ...hostOf(request)] : rawHeaders,
      // Exactly the headers of the client.
      setDefaultHeaders: false,
    })
    forwarded.on('error', () => {
      // With an answer under way, the rest of the request may be refused.
      if (!response.headersSent) response.destroy()
    })
    forwarded.on('response', (answer) => {
      response.sendDate = false
      response.writeHead(answer.statusCode!, answer.statusMessage, headersFor(request, answer))
      // A stream may have nothing to send for a while.
      if (answer.headers['content-length'] === undefined) response.flushHeaders()
      // An answer that ends early ends the connection.
      pipeline(answer, response, () => {})
    })
    response.on('close', () => {
      if (!response.writableFinished) forwarded.destroy()
    })
    request.pipe(forwarded)
  }
}

/** HTTP/1.1 requires it. */
const hostOf = ({ headers }: IncomingMessage): string[] =>
  headers.host === undefined ? ['Host', ''] : []

function headersFor({ httpVersion }: IncomingMessage, { rawHeaders }: IncomingMessage): string[] {
  if (httpVersion !== '1.0') return rawHeaders
  return rawHeaders.filter((_, i) => !HOP_BY_HOP.test(rawHeaders[i - (i % 2)]!))
}
