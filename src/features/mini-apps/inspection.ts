import { originOf } from '../../kernel/base/web-domain.ts'
import { fetchFile, isJsonType } from '../../kernel/http/files/outgoing-file.ts'
import { isDeeperThan } from '../../kernel/http/input/depth.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import { verificationSlot } from '../../kernel/protocol/slots.ts'
import type { Reader } from '../../kernel/storage/storage.ts'
import { readAssociation } from './association.ts'
import type { MiniAppContext } from './context.ts'
import { MANIFEST_PATH } from './domain.ts'
import { type Fault, isError } from './faults.ts'
import { readManifest } from './manifest.ts'
import type { Manifest } from './manifest-fields.ts'

/** For name resolution, redirects, headers and body together. */
const FETCH_TIMEOUT_MS = 5_000
const MAX_MANIFEST_BYTES = 64 * 1024
/** Lists and objects in each other. What compares them calls itself for each level, and must not run out of stack. */
const MAX_DEPTH = 32

export type InspectionContext = Pick<MiniAppContext, 'storage' | 'accounts' | 'verify' | 'settings'>

/** What the manifest of a domain says now. */
export type Inspection = {
  /** Undefined when there is an error among the faults. */
  readonly manifest: Manifest | undefined
  /** Who has signed the domain; 0: nobody whom this server could verify. */
  readonly author: number
  /** The signature of the author over the domain. */
  readonly association?: object
  readonly faults: readonly Fault[]
}

/** Fetches the manifest of a domain and checks it. An unsigned one is an error unless `allowsUnsigned`. */
export async function inspect(
  context: InspectionContext,
  domain: string,
  { allowsUnsigned }: { readonly allowsUnsigned: boolean },
): Promise<Inspection> {
  const { settings } = context
  const fetched = await fetchManifest(domain, settings.fetchLoopback)
  if ('fault' in fetched) return { manifest: undefined, author: 0, faults: [fetched.fault] }
  const isOpen = settings.mode === 'any'
  const terms = { domain, allowLoopback: settings.fetchLoopback, anyHome: isOpen }
  const { manifest, faults } = readManifest(fetched.document, terms)
  const { accountAssociation } = (fetched.document ?? {}) as { accountAssociation?: unknown }
  const association = await readAssociation(accountAssociation, domain, {
    ...context,
    isVerified: (fid, address) => isVerifiedAddress(context.storage, fid, address),
    isHidden: async (fid) => (await context.storage.moderation.account(fid))?.hidden === 1,
  })
  if (!('fault' in association)) {
    const { header, payload, signature } = accountAssociation as Record<string, string>
    const signed = { header, payload, signature }
    return { manifest, author: association.fid, association: signed, faults }
  }
  const { fault } = association
  const unsigned: Fault = allowsUnsigned ? { ...fault, severity: 'warning' } : fault
  return {
    manifest: isError(unsigned) ? undefined : manifest,
    author: 0,
    faults: [...faults, unsigned],
  }
}

/** Whether an address is one of the verified addresses of an account. */
export async function isVerifiedAddress(
  { published }: Pick<Reader, 'published'>,
  fid: number,
  address: Uint8Array,
): Promise<boolean> {
  const found = await published.messages.bySlots([verificationSlot(fid, address)])
  return found.length > 0
}

type Fetched = { readonly document: unknown } | { readonly fault: Fault }

/** Fetches the manifest of a domain. */
export async function fetchManifest(domain: string, allowLoopback: boolean): Promise<Fetched> {
  const url = new URL(MANIFEST_PATH, originOf(domain))
  try {
    const { type, bytes } = await fetchFile(
      url,
      { allowLoopback, field: 'domain' },
      {
        accept: 'application/json',
        maxBytes: MAX_MANIFEST_BYTES + 1,
        isCut: true,
        signal: AbortSignal.timeout(FETCH_TIMEOUT_MS),
      },
    )
    if (bytes.length > MAX_MANIFEST_BYTES) {
      const fix = `Keep it below ${MAX_MANIFEST_BYTES / 1024} KiB; link pictures instead of embedding them.`
      return faultOf('too_large', `${url} answered more than ${MAX_MANIFEST_BYTES} bytes`, fix)
    }
    if (!isJsonType(type)) {
      const given = type === '' ? 'without a content type' : `with ${type.slice(0, 100)}`
      const fix = 'Answer with the header content-type: application/json.'
      return faultOf('not_json', `${url} answered ${given}`, fix)
    }
    return documentIn(url, bytes)
  } catch (error) {
    if (!(error instanceof Rejection)) throw error
    const fix = `Make ${url} answer with the manifest.`
    return faultOf('unreachable', error.message, fix)
  }
}

function documentIn(url: URL, bytes: Uint8Array): Fetched {
  try {
    const document: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    if (!isDeeperThan(MAX_DEPTH, document)) return { document }
    const what = `${url} answered lists or objects in more than ${MAX_DEPTH} others`
    return faultOf('not_json', what, 'Nest them less deeply.')
  } catch (error) {
    const why = error instanceof SyntaxError ? error.message.slice(0, 200) : 'it is not UTF-8'
    return faultOf('not_json', `${url} did not answer with JSON: ${why}`, 'Mend the JSON.')
  }
}

const faultOf = (code: Fault['code'], message: string, fix: string): { fault: Fault } => ({
  fault: { severity: 'error', code, message, fix },
})
