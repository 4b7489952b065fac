import { indexedStore } from '../act/indexed-store.ts'
import type { Copy } from './seal.ts'

// Sealed copies in this browser: an account that is made here survives a closed page, and its owner needs no server to open it.

export type Kept = {
  readonly address: string
  /** Undefined until the account is registered. */
  readonly fid?: number
  readonly copies: readonly Copy[]
}

const request = indexedStore('rookery-custody', 'sealed', { keyPath: 'address' })

/** Without storage, as in some private windows, nothing is kept here. */
export const allKept = (): Promise<Kept[]> =>
  request<Kept[]>('readonly', (store) => store.getAll()).catch(() => [])

export async function keep(kept: Kept): Promise<void> {
  await request('readwrite', (store) => store.put(kept)).catch(() => {})
}

/** Adds a copy in place of the one of the same kind, and of the same passkey. */
export async function keepAlso(kept: Omit<Kept, 'copies'>, copy: Copy): Promise<void> {
  const before = (await allKept()).find(({ address }) => address === kept.address)
  const others = (before?.copies ?? []).filter(
    ({ kind, credential }) => kind !== copy.kind || credential !== copy.credential,
  )
  const { kind, credential, site, salt, sealed } = copy
  const added = { kind, salt, sealed, ...(credential && { credential }), ...(site && { site }) }
  await keep({ ...before, ...kept, copies: [...others, added] })
}

export async function forgetKept(address: string): Promise<void> {
  await request('readwrite', (store) => store.delete(address)).catch(() => {})
}
