import { feature } from '../../kernel/feature.ts'
import { INVITE_MIGRATION } from './migrations/014-invites.ts'
import { MEMBER_INVITE_MIGRATION } from './migrations/045-invites-of-members.ts'
import { NAMED_INVITE_MIGRATION } from './migrations/048-named-invites.ts'
import { INVITE_ROLE_MIGRATION } from './migrations/070-roles-by-invite.ts'
import { INVITES } from './tables/invites.ts'

/** Codes with which their holders may register, made by the operator and by members. */
export const invites = feature({
  name: 'invites',
  tables: [INVITES],
  migrations: [
    { id: 45, what: 'invites of members', statements: MEMBER_INVITE_MIGRATION },
    { id: 14, what: 'invites', statements: INVITE_MIGRATION },
    { id: 48, what: 'invites with a name', statements: NAMED_INVITE_MIGRATION },
    { id: 70, what: 'roles by invite', statements: INVITE_ROLE_MIGRATION },
  ],
  serve: () => import('./serve.ts'),
})
