// A push service on this machine, and devices that read what it gets: RFC 8291 and RFC 8188 with the cryptography of Node alone.

import {
  createDecipheriv,
  createECDH,
  createHash,
  type ECDH,
  hkdfSync,
  randomBytes,
} from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url')

/** What a browser keeps of a subscription. */
export type DeviceKeys = { readonly ecdh: ECDH; readonly auth: Uint8Array }

export function newDeviceKeys(): DeviceKeys {
  const ecdh = createECDH('prime256v1')
  ecdh.generateKeys()
  return { ecdh, auth: randomBytes(16) }
}

/** The text of an encrypted push. */
export function decryptPush({ ecdh, auth }: DeviceKeys, body: Uint8Array): string {
  const bytes = Buffer.from(body)
  const salt = bytes.subarray(0, 16)
  const recordBytes = bytes.readUInt32BE(16)
  const keyBytes = bytes[20]!
  const senderKey = bytes.subarray(21, 21 + keyBytes)
  const record = bytes.subarray(21 + keyBytes)
  if (record.length > recordBytes) throw new Error('more than one record')
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), ecdh.getPublicKey(), senderKey])
  const input = hkdfSync('sha256', ecdh.computeSecret(senderKey), auth, info, 32)
  const derive = (what: string, length: number) =>
    Buffer.from(hkdfSync('sha256', input, salt, Buffer.from(`Content-Encoding: ${what}\0`), length))
  const decipher = createDecipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12))
  decipher.setAuthTag(record.subarray(-16))
  const padded = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()])
  const end = padded.lastIndexOf(2)
  return padded.subarray(0, end).toString()
}

type Received = {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** `after`: what it waits for before it answers. */
type Answer = {
  readonly status: number
  readonly headers?: Record<string, string>
  readonly after?: Promise<void>
}

/** A push service whose answers can be set by device; 201 unless told otherwise. */
export async function startPushService() {
  const got: Received[] = []
  const answers = new Map<string, Answer>()
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const path = request.url!
    got.push({ path, headers: request.headers, body: Buffer.concat(parts) })
    const { status, headers = {}, after } = answers.get(path) ?? { status: 201 }
    await after
    response.writeHead(status, headers).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    origin,
    got,
    answers,
    /** A device, with what a browser hands to the page. */
    device(name: string) {
      const keys = newDeviceKeys()
      const path = `/push/${name}`
      const endpoint = origin + path
      return {
        path,
        endpoint,
        keys,
        id: createHash('sha256').update(endpoint).digest('base64url'),
        subscription: {
          endpoint,
          p256dh: base64url(keys.ecdh.getPublicKey()),
          auth: base64url(keys.auth),
        },
        /** What the device was told, the oldest first. */
        told: () =>
          got
            .filter((one) => one.path === path)
            .map(({ body }) => JSON.parse(decryptPush(keys, body)) as PushText),
        forget: () => {
          for (let i = got.length - 1; i >= 0; i--) if (got[i]!.path === path) got.splice(i, 1)
        },
      }
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

export type PushText = { title: string; body: string; url: string; tag: string }
export type PushService = Awaited<ReturnType<typeof startPushService>>
