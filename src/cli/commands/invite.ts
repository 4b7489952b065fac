import { group } from '../call-command.ts'
import { hint, oneLine } from '../output.ts'
import { operatorCall } from './operator.ts'

const LABEL_CHARACTERS = 100

export const addInviteCommands = group(
  'invite',
  'Invites, with which users may register (operator). Sends ROOKERY_OPS_TOKEN.',
  'create --uses 5',
  [
    operatorCall('create', 'POST /accounts/invites', {
      example: '--uses 5 --days 7',
      fields: {
        uses: { help: 'accounts that may be registered with it', preset: 1 },
        days: { help: 'days until it expires', preset: 7 },
        label: { help: 'note for the list', preset: '' },
        role: { help: 'what its holder becomes' },
      },
      line: ({ code, link }) => link ?? code,
      hint: ({ code, link }) =>
        link
          ? 'Give the link to whom you invite.'
          : `Give it to your users: ${hint(`account create --invite ${code}`)}`,
    }),
    operatorCall('list', 'GET /accounts/invites', {
      each: ({ invites }) => invites,
      line: ({ id, label, role, uses, usesLeft, expiresAt }) => {
        const until = new Date(expiresAt).toISOString().slice(0, 16)
        const note = label === '' ? '' : ` ${oneLine(label, LABEL_CHARACTERS)}`
        const as = role === null ? '' : ` as ${role}`
        return `${id} ${usesLeft} of ${uses} uses left until ${until}Z${as}${note}`
      },
    }),
    operatorCall('revoke', 'DELETE /accounts/invites/{id}', {
      example: `0x${'0'.repeat(36)}1234`,
      args: ['id'],
      line: (_, { id }) => `${id} is revoked`,
    }),
  ],
)
