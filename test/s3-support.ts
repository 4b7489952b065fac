// An S3-compatible storage: s3rver, a published server of its protocol, unmodified; and a gate before it that answers as other
// storages do where s3rver has no such rule.

import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import S3rver from 's3rver'

export const BUCKET = 'pictures'

/** A storage on a directory of its own. */
export class TestStorage {
  readonly directory: string = mkdtempSync(join(tmpdir(), 'rookery-s3-'))
  #server: S3rver | undefined
  /** Any at first, then the same when it is started again. */
  #port = 0

  async start(): Promise<void> {
    this.#server = new S3rver({
      ...{ port: this.#port, address: '127.0.0.1', silent: true, directory: this.directory },
      configureBuckets: [{ name: BUCKET, configs: [] }],
    })
    this.#port = (await this.#server.run()).port
  }

  /** The setting that names its bucket, perhaps at another port. */
  url(port: number = this.#port): string {
    return `http://S3RVER:S3RVER@127.0.0.1:${port}/${BUCKET}`
  }

  get port(): number {
    return this.#port
  }

  /** The files of its objects. */
  objects(): string[] {
    const bucket = join(this.directory, BUCKET)
    return readdirSync(bucket)
      .filter((name) => name.endsWith('._S3rver_object'))
      .map((name) => join(bucket, name))
  }

  async stop(): Promise<void> {
    await this.#server?.close()
    this.#server = undefined
  }

  async remove(): Promise<void> {
    await this.stop()
    rmSync(this.directory, { recursive: true, force: true })
  }
}

export type Refusal = {
  readonly status: number
  readonly code: string
  readonly more?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Passes requests on to a storage unless `refuse` has another answer; `change` may change them before. */
export async function gateBefore(
  port: number,
  refuse: (request: IncomingMessage) => Refusal | undefined,
  change: (headers: IncomingMessage['headers']) => IncomingMessage['headers'] = (same) => same,
): Promise<{ port: number; close(): Promise<void> }> {
  const gate = createServer((incoming, response) => {
    const refusal = refuse(incoming)
    if (refusal) {
      const { status, code, more = '', headers } = refusal
      incoming.resume()
      response.writeHead(status, { 'content-type': 'application/xml', ...headers })
      response.end(`<?xml version="1.0"?><Error><Code>${code}</Code>${more}</Error>`)
      return
    }
    const { method, url: path } = incoming
    const headers = change({ ...incoming.headers })
    const onward = request({ host: '127.0.0.1', port, method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(response)
    })
    onward.on('error', () => response.destroy())
    incoming.pipe(onward)
  }).listen(0, '127.0.0.1')
  await once(gate, 'listening')
  return {
    port: (gate.address() as AddressInfo).port,
    async close() {
      gate.closeAllConnections()
      await new Promise((resolve) => gate.close(resolve))
    },
  }
}
