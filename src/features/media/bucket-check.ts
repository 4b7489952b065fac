import { randomBytes } from 'node:crypto'
import { s3Bytes } from './s3-bytes.ts'
import type { S3Place } from './settings.ts'

// Whether a bucket can be used, found out as it is used: one object is put, read and removed. A start, `rookery doctor` and
// `rookery init` ask.

/** Of the object. Long enough that no other object is mistaken for it. */
const CHECKED_BYTES = 64
const NAME_BYTES = 16
const VARIABLE = 'ROOKERY_MEDIA_S3_URL'

type Sentences = { readonly found: string; readonly mend: string }
/** What keeps a bucket from being used, and what to do. */
export type BucketFault = Sentences & {
  /** Whether it may end by itself: a storage that does not answer now. */
  readonly mayPass: boolean
}

type Step = 'put' | 'read' | 'remove'

/** Undefined when the bucket can be used. */
export async function findBucketFault(place: S3Place): Promise<BucketFault | undefined> {
  let cause: unknown
  const kept = await s3Bytes(place, (error) => {
    cause = error
  })
  const object = `check-${randomBytes(NAME_BYTES).toString('hex')}`
  const bytes = randomBytes(CHECKED_BYTES)
  const attempt = async (step: Step, work: () => Promise<boolean>) => {
    cause = undefined
    const worked = await work().catch(() => false)
    return worked ? undefined : faultOf(step, cause as StorageError | undefined, place)
  }
  try {
    const put = await attempt('put', async () => {
      await kept.put(object, 'large', { bytes, type: 'application/octet-stream' })
      return true
    })
    if (put) return put
    const read = await attempt('read', async () => {
      const parts = await Array.fromAsync(kept.read(object, 'large', 0, bytes.length))
      return bytes.equals(Buffer.concat(parts))
    })
    const removed = await attempt('remove', async () => {
      await kept.remove(object)
      return true
    })
    return read ?? removed
  } finally {
    kept.close()
  }
}

/** As the library throws it: of the network with a code, of the storage with its name, its status and what else its answer names. */
type StorageError = Error & {
  readonly code?: string
  readonly Region?: string
  readonly ServerTime?: string
  readonly $metadata?: { readonly httpStatusCode?: number }
  readonly $response?: { readonly headers?: Readonly<Record<string, string>> }
}

const PERMISSIONS: Readonly<Record<Step, string>> = {
  put: 's3:PutObject',
  read: 's3:GetObject',
  remove: 's3:DeleteObject',
}

/** What storages name in their answers, and what it means for the operator. */
const REFUSALS: Readonly<
  Record<string, (error: StorageError, place: S3Place & { readonly host: string }) => Sentences>
> = {
  NoSuchBucket: (_, { bucket, host }) => ({
    found: `there is no bucket ${bucket} at ${host}`,
    mend: `make the bucket, or correct its name, the path in ${VARIABLE}`,
  }),
  InvalidAccessKeyId: (_, { host }) => ({
    found: `${host} does not know the key`,
    mend: `correct KEY in ${VARIABLE}: https://KEY:SECRET@host/bucket`,
  }),
  SignatureDoesNotMatch: (_, { host }) => ({
    found: `${host} does not accept the signature of the key`,
    mend: `correct SECRET in ${VARIABLE}, with / as %2F and + as %2B`,
  }),
  RequestTimeTooSkewed: ({ ServerTime = 'something else' }, { host }) => ({
    found: `the clock of this machine says ${new Date().toISOString()}, that of ${host} says ${ServerTime}`,
    mend: 'set the clock: timedatectl set-ntp true',
  }),
  AuthorizationHeaderMalformed: wrongRegion,
  PermanentRedirect: wrongRegion,
  InvalidRegionName: wrongRegion,
}

function wrongRegion({ Region, $response }: StorageError, { bucket, region }: S3Place): Sentences {
  const right = Region ?? $response?.headers?.['x-amz-bucket-region'] ?? 'REGION'
  return {
    found: `the bucket ${bucket} is not in the region ${region}`,
    mend: `write ?region=${right} at the end of ${VARIABLE}`,
  }
}

function faultOf(step: Step, error: StorageError | undefined, place: S3Place): BucketFault {
  const { bucket, endpoint } = place
  const { host } = new URL(endpoint)
  if (!error) {
    return {
      found: `the bucket ${bucket} at ${host} gives back other bytes than were put`,
      mend: 'use a storage that has an object as soon as it is put, with nothing between that changes it',
      mayPass: false,
    }
  }
  const status = error.$metadata?.httpStatusCode
  if (status === undefined) {
    return {
      found: `the storage at ${host} cannot be reached (${error.code ?? error.message})`,
      mend: `correct the host in ${VARIABLE}, or start the storage`,
      mayPass: true,
    }
  }
  const refusal = REFUSALS[error.name]?.(error, { ...place, host })
  if (refusal) return { ...refusal, mayPass: false }
  if (status === 401 || status === 403) {
    return {
      found: `the key may not ${step} objects of the bucket ${bucket} (${error.name})`,
      mend: `allow the key ${PERMISSIONS[step]} for all objects of the bucket`,
      mayPass: false,
    }
  }
  return {
    found: `the storage at ${host} cannot ${step} an object: status ${status}, ${error.name}`,
    mend: `read the log of the storage, and correct ${VARIABLE}`,
    mayPass: status >= 500 || status === 429,
  }
}
