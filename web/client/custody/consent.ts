import { fetchJson } from '../../shared/request.ts'
import type { BrowserKey } from '../act/key-store.ts'
import { tokenOf } from '../act/platform.ts'
import { type Server, useServer } from '../parts/server.ts'

// What this server asks its members to agree to: its rules, and an age that they say to have reached.

export type Terms = {
  readonly server: Server
  readonly version: string
  /** 0: none. */
  readonly minimumAge: number
}

/** What is asked of everybody; undefined while it is not known. */
export function useTerms(): Terms | undefined {
  const { data } = useServer()
  return (
    data && {
      server: data,
      version: data.rulesVersion,
      minimumAge: Number(data.minimumAge),
    }
  )
}

export const isAnythingAsked = ({ version, minimumAge }: Terms): boolean =>
  version !== '' || minimumAge > 0

/** Has the server keep that the account agrees. */
export async function agree(key: BrowserKey, { version, minimumAge: age }: Terms): Promise<void> {
  const body = { version, age }
  await fetchJson('/accounts/v1/consent', { method: 'PUT', body, token: await tokenOf(key) })
}
