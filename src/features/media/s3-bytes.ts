import type { Readable } from 'node:stream'
import type { S3Client } from '@aws-sdk/client-s3'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import type { KeptBytes } from './kept-bytes.ts'
import type { S3Place } from './settings.ts'
import type { MediaSize } from './tables/media.ts'

type OnError = (error: unknown, what: string) => void
type Sdk = typeof import('@aws-sdk/client-s3')

/** A slow storage must not hold requests for longer: until the head of an answer, and for each piece of its body. */
const TIMEOUT_MS = 30_000
/** Each answer that sends a file has one. Unread bytes bound these answers to as many (kernel/limits/concurrency.ts). */
const MAX_CONNECTIONS = 256

/** Bytes as objects of a bucket. The library takes 60 ms and 20 MB to load, so only servers that use it do. */
export async function s3Bytes(place: S3Place, onError: OnError): Promise<KeptBytes> {
  const sdk = await import('@aws-sdk/client-s3')
  const client = new sdk.S3Client({
    region: place.region,
    endpoint: place.endpoint,
    forcePathStyle: true,
    credentials: { accessKeyId: place.accessKeyId, secretAccessKey: place.secretAccessKey },
    requestHandler: {
      httpAgent: { maxSockets: MAX_CONNECTIONS },
      httpsAgent: { maxSockets: MAX_CONNECTIONS },
    },
    // Some compatible storages refuse checksums that they do not know.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  })
  return new S3Bytes(sdk, client, place.bucket, onError)
}

class S3Bytes implements KeptBytes {
  readonly #sdk: Sdk
  readonly #client: S3Client
  readonly #bucket: string
  readonly #onError: OnError

  constructor(sdk: Sdk, client: S3Client, bucket: string, onError: OnError) {
    this.#sdk = sdk
    this.#client = client
    this.#bucket = bucket
    this.#onError = onError
  }

  put(object: string, size: MediaSize, { bytes, type }: { bytes: Uint8Array; type: string }) {
    return this.#tell('keep a file', async (abortSignal) => {
      const request = { ...this.#object(object, size), Body: bytes, ContentType: type }
      await this.#client.send(new this.#sdk.PutObjectCommand(request), { abortSignal })
    })
  }

  async *read(object: string, size: MediaSize, from: number, to: number) {
    const body = await this.#tell('read a file', async (abortSignal) => {
      const request = { ...this.#object(object, size), Range: `bytes=${from}-${to - 1}` }
      const command = new this.#sdk.GetObjectCommand(request)
      const answer = await this.#client.send(command, { abortSignal }).catch(undefinedIfGone)
      return answer?.Body as Readable | undefined
    })
    if (!body) return
    // What nobody takes stays at the storage: an answer to a slow reader holds a connection and no file.
    const chunks = body[Symbol.asyncIterator]()
    try {
      for (;;) {
        const chunk = await this.#tell('read a file', (signal) => {
          signal.onabort = () => body.destroy(new Error('no bytes in time'))
          return chunks.next()
        })
        if (chunk.done) return
        yield chunk.value as Uint8Array
      }
    } finally {
      body.destroy()
    }
  }

  length(object: string, size: MediaSize) {
    return this.#tell('find a file', async (abortSignal) => {
      const command = new this.#sdk.HeadObjectCommand(this.#object(object, size))
      const found = await this.#client.send(command, { abortSignal }).catch(undefinedIfGone)
      return found?.ContentLength ?? 0
    })
  }

  remove(object: string) {
    return this.#tell('remove a file', async (abortSignal) => {
      for (const size of ['large', 'small'] as const) {
        const command = new this.#sdk.DeleteObjectCommand(this.#object(object, size))
        await this.#client.send(command, { abortSignal })
      }
    })
  }

  close(): void {
    this.#client.destroy()
  }

  #object(object: string, size: MediaSize) {
    return { Bucket: this.#bucket, Key: `${object}-${size}` }
  }

  async #tell<T>(what: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    // Ended with the work: the library would cut a body off that comes after its head.
    const timeout = new AbortController()
    const timer = setTimeout(() => timeout.abort(), TIMEOUT_MS)
    try {
      return await work(timeout.signal)
    } catch (error) {
      this.#onError(error, `S3: ${what}`)
      throw new Rejection('unavailable', `the storage of pictures cannot ${what} now`)
    } finally {
      clearTimeout(timer)
    }
  }
}

/**
 * An object that somebody else has removed, or made shorter than what is asked for, is no fault of the storage. Answers to HEAD
 * have no name of a fault but the status.
 */
function undefinedIfGone(error: unknown): undefined {
  if (!/^(?:NoSuchKey|NotFound|InvalidRange)$/.test((error as Error).name)) throw error
}
