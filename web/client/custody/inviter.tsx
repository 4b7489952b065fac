import { useQuery } from '@tanstack/react-query'
import { t } from '../../shared/messages.ts'
import { Notice } from '../../shared/page.tsx'
import { fetchJson } from '../../shared/request.ts'
import { rich } from '../../shared/rich.tsx'
import { callApp } from '../api.ts'
import { Byline, Portrait } from '../parts/person.tsx'
import type { User } from '../types.ts'

const CODE = /^[1-9A-HJ-NP-Za-km-z]{1,64}$/

export type Role = 'moderator' | 'operator'
export type Invitation = {
  /** The member who made it; null: the operator, or somebody who does not say so. */
  readonly inviter: User | null
  /** What its holder becomes; null: a member. */
  readonly role: Role | null
}

/** What an invite says; an error unless it is in force. Nothing is asked about what is no code. */
export function useInvite(code: string) {
  return useQuery({
    queryKey: ['invite', code],
    queryFn: async (): Promise<Invitation> => {
      const path = `/accounts/v1/invites/${code}`
      const found = await fetchJson<{ inviter: number | null; role: Role | null }>(path)
      const { inviter, role } = found
      if (inviter === null) return { inviter, role }
      const query = { fids: inviter }
      const { users } = await callApp<{ users: User[] }>('/user/bulk', { query })
      return { inviter: users[0] ?? null, role }
    },
    enabled: CODE.test(code),
    retry: false,
  })
}

const PROMISED: Readonly<Record<Role, string>> = {
  moderator: t(
    'With this invite you become a moderator of this server, as soon as you have joined.',
  ),
  operator: t(
    'With this invite you become the operator of this server, as soon as you have joined.',
  ),
}

export const Invited = ({ invitation: { inviter, role } }: { invitation: Invitation }) => (
  <>
    {inviter && (
      <p className="who-acts">
        <Portrait user={inviter} size="s" />
        <span>{rich('{byline} invites you.', { byline: <Byline user={inviter} /> })}</span>
      </p>
    )}
    {role && <Notice tone="good">{PROMISED[role]}</Notice>}
  </>
)

/** Where nobody needs an invite, one that does not count any more is passed over: what it promised does not come. */
export const NotInvited = () => (
  <Notice tone="warn">
    {t(
      'Your invite does not count: it is unknown, was used, or is too old. You can join without it, as a member. If it was to make you a moderator or the operator, ask for a new one first.',
    )}
  </Notice>
)
