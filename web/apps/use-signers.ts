import { useCallback, useEffect, useRef, useState } from 'react'
import { type Account, getSigners } from '../shared/api.ts'
import { t } from '../shared/messages.ts'
import type { Person, Signer } from '../types.ts'
import { explain } from '../wallets/provider.ts'

export type Keys = {
  readonly user: Person | undefined
  readonly signers: readonly Signer[] | undefined
  readonly error: string | undefined
  /** Loads the next page, if there is one. */
  readonly more: (() => void) | undefined
  forget(key: string): void
}

type Loaded = { of: Account; user?: Person; signers?: Signer[]; cursor?: string; error?: string }

/** The keys of an account, a page at a time. The same object means the same account. */
export function useSigners(account: Account | undefined): Keys {
  const [loaded, setLoaded] = useState<Loaded>()
  const wanted = useRef(account)
  const load = useCallback(
    (cursor?: string) => {
      if (account === undefined) return
      // An answer for another account may arrive after the account has changed.
      const set = (change: (before: Loaded | undefined) => Loaded) => {
        if (wanted.current === account) setLoaded(change)
      }
      getSigners(account, cursor).then(
        ({ user, signers, cursor: next }) =>
          set((before) => ({
            of: account,
            user,
            // A further page is appended.
            signers: [...((cursor && before?.signers) || []), ...signers],
            ...(next && { cursor: next }),
          })),
        (reason) => set(() => ({ of: account, error: textOf(reason, account) })),
      )
    },
    [account],
  )
  useEffect(() => {
    wanted.current = account
    load()
  }, [account, load])
  const forget = useCallback(
    (key: string) =>
      setLoaded((now) => now && { ...now, signers: now.signers?.filter((one) => one.key !== key) }),
    [],
  )
  const now = loaded?.of === account ? loaded : undefined
  const { cursor } = now ?? {}
  return {
    user: now?.user,
    signers: now?.signers,
    error: now?.error,
    more: cursor === undefined ? undefined : () => load(cursor),
    forget,
  }
}

function textOf(reason: unknown, account: Account): string {
  if ((reason as { status?: number }).status !== 404) return explain(reason)
  return 'fid' in account
    ? t('There is no account {fid}.', { fid: String(account.fid) })
    : t('This key has no account here. Use another one.')
}
