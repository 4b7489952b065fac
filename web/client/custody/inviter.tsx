import { useQuery } from '@tanstack/react-query'
import { fetchJson } from '../../shared/request.ts'
import { callApp } from '../api.ts'
import { Byline, Portrait } from '../parts/person.tsx'
import type { User } from '../types.ts'

const CODE = /^[1-9A-HJ-NP-Za-km-z]{1,64}$/

/** What an invite says: whether it is in force, and which member made it, if one did. Nothing is asked about what is no code. */
export function useInvite(code: string) {
  return useQuery({
    queryKey: ['invite', code],
    queryFn: async (): Promise<User | null> => {
      const path = `/accounts/v1/invites/${code}`
      const { inviter } = await fetchJson<{ inviter: number | null }>(path)
      if (inviter === null) return null
      const query = { fids: inviter }
      return (await callApp<{ users: User[] }>('/user/bulk', { query })).users[0] ?? null
    },
    enabled: CODE.test(code),
    retry: false,
  })
}

export const Inviter = ({ user }: { user: User }) => (
  <p className="who-acts">
    <Portrait user={user} size="s" />
    <span>
      <Byline user={user} /> invites you.
    </span>
  </p>
)
