import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { startVerifier, type Verifier } from '../src/hub/signature-verifier.ts'
import { DEFAULT_JSON_OPTIONS } from '../src/protocol/json.ts'
import { fieldBytes, scanFields } from '../src/protocol/wire-scan.ts'

// What HTTP and the signature alone cost of a submit: the same body is received, its signature is verified in a thread
// like that of the program, and a constant is the answer. Nothing is checked, merged or stored.

const HASH = 2
const SIGNATURE = 4
const SIGNER = 6
const NO_DATA = new Uint8Array(0)

type Waiting = { readonly body: Buffer; readonly response: ServerResponse }

export function bareSubmitServer(answerBytes: number): Server {
  const verifier = startVerifier(1, {
    network: 3,
    acceptDataSignatures: false,
    json: DEFAULT_JSON_OPTIONS,
  })
  const constant = Buffer.alloc(answerBytes, 'x')
  let waiting: Waiting[] = []
  let isVerifying = false

  async function verifyAll(): Promise<void> {
    isVerifying = true
    while (waiting.length > 0) {
      const batch = waiting
      waiting = []
      const results = await verify(verifier, batch)
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
      // Everything that arrives in this turn of the event loop joins the batch.
      if (!isVerifying) setImmediate(() => isVerifying || void verifyAll())
    })
  })
}

function receive(request: IncomingMessage, onBody: (body: Buffer) => void): void {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => onBody(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)))
}

const verify = (verifier: Verifier, batch: readonly Waiting[]): Promise<boolean[]> =>
  verifier.verify(
    batch.map(({ body }) => {
      const fields = scanFields(body) ?? []
      const part = (number: number) => {
        const field = fields.find((one) => one.number === number)
        return field ? fieldBytes(body, field) : NO_DATA
      }
      return { hash: part(HASH), signature: part(SIGNATURE), signer: part(SIGNER), data: NO_DATA }
    }),
  )
