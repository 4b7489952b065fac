import { useCallback, useEffect, useState } from 'react'
import { type Account, getSigners } from '../shared/api.ts'
import type { Person, Signer } from '../types.ts'
import { explain } from '../wallets/provider.ts'

export type Keys = {
  readonly user: Person | undefined
  readonly signers: readonly Signer[] | undefined
  readonly error: string | undefined
  /** Asks for the next page, where there is one. */
  readonly more: (() => void) | undefined
  forget(key: string): void
}

type Loaded = { of: string; user?: Person; signers?: Signer[]; cursor?: string; error?: string }

/** The keys of an account, a page at a time. */
export function useSigners(account: Account | undefined): Keys {
  const [loaded, setLoaded] = useState<Loaded>()
  const of = JSON.stringify(account)
  // biome-ignore lint/correctness/useExhaustiveDependencies: `of` is the account, in a form that can be compared
  const load = useCallback(
    (cursor?: string) => {
      if (account === undefined) return
      getSigners(account, cursor).then(
        ({ user, signers, cursor: next }) =>
          setLoaded((before) => ({
            of,
            user,
            // A page that follows goes below those that are there.
            signers: [...(cursor && before?.of === of ? (before.signers ?? []) : []), ...signers],
            ...(next && { cursor: next }),
          })),
        (reason) => setLoaded({ of, error: textOf(reason) }),
      )
    },
    [of],
  )
  useEffect(() => load(), [load])
  const forget = useCallback(
    (key: string) =>
      setLoaded((now) => now && { ...now, signers: now.signers?.filter((one) => one.key !== key) }),
    [],
  )
  const now = loaded?.of === of ? loaded : undefined
  const { cursor } = now ?? {}
  return {
    user: now?.user,
    signers: now?.signers,
    error: now?.error,
    more: cursor === undefined ? undefined : () => load(cursor),
    forget,
  }
}

const textOf = (reason: unknown) =>
  (reason as { status?: number }).status === 404
    ? 'No account of this network belongs to it.'
    : explain(reason)
