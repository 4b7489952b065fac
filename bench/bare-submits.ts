import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { Thread } from '../src/kernel/base/thread.ts'

// The floor of a submit: receives the same body, verifies its signature in a thread and answers with a constant. Nothing
// is checked, merged or stored.

type Waiting = { readonly body: Buffer; readonly response: ServerResponse }

export function bareSubmitServer(answerBytes: number): Server {
  const script = new URL('./bare-verifier-thread.ts', import.meta.url)
  const verifier = new Thread<readonly Uint8Array[], boolean[]>(script, undefined)
  const constant = Buffer.alloc(answerBytes, 'x')
  let waiting: Waiting[] = []
  let isVerifying = false

  async function verifyAll(): Promise<void> {
    isVerifying = true
    while (waiting.length > 0) {
      const batch = waiting
      waiting = []
      const results = await verifier.ask(batch.map(({ body }) => body))
      for (const [i, { response }] of batch.entries()) {
        response.writeHead(results[i] ? 200 : 400, {
          'content-type': 'application/json; charset=utf-8',
          'content-length': answerBytes,
        })
        response.end(constant)
      }
    }
    isVerifying = false
  }

  return createServer((request, response) => {
    receive(request, (body) => {
      waiting.push({ body, response })
      // Batches the requests of one turn of the event loop.
      if (!isVerifying) setImmediate(() => isVerifying || void verifyAll())
    })
  })
}

function receive(request: IncomingMessage, onBody: (body: Buffer) => void): void {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => onBody(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)))
}
