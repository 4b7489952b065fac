import { group } from '../call-command.ts'
import { oneLine } from '../output.ts'
import { operatorCall } from './operator.ts'

const NAME_CHARACTERS = 64

/** Who may use the app API. */
export const addAppCommands = group(
  'app',
  'Apps that use the app API, and their keys (operator). Sends ROOKERY_OPS_TOKEN.',
  'create --name "My client" --fid 1',
  [
    operatorCall('create', 'POST /app/apps', {
      example: '--name "My client" --fid 1',
      fields: {
        name: { help: 'name of the app' },
        fid: { help: 'account that the app acts for' },
        readLimit: { flag: '--reads <n>' },
        writeLimit: { flag: '--writes <n>' },
        searchLimit: { flag: '--searches <n>' },
      },
      line: ({ key }) => key,
      hint: ({ uuid }) => `The key of the app ${uuid}. It is shown once: send it as x-api-key.`,
    }),
    operatorCall('list', 'GET /app/apps', {
      each: ({ apps }) => apps,
      line: ({ uuid, name, fid, keys }) => {
        const lines = keys.map(({ id, createdAt, revokedAt }) => {
          const state = revokedAt === undefined ? '' : `, revoked ${timeOf(revokedAt)}`
          return `\n  key ${id} created ${timeOf(createdAt)}${state}`
        })
        return `${uuid} fid ${fid} ${oneLine(name, NAME_CHARACTERS)}${lines.join('')}`
      },
    }),
    operatorCall('key', 'POST /app/apps/{uuid}/keys', {
      example: '6d1b3a52-9d2c-4c5e-8f43-0b7f3f1f6a11',
      args: ['uuid'],
      line: ({ key }) => key,
      hint: () =>
        'It is shown once: send it as x-api-key. The other keys of the app stay in force.',
    }),
    operatorCall('revoke', 'DELETE /app/keys/{id}', {
      example: `0x${'0'.repeat(60)}1234`,
      args: ['id'],
      line: (_, { id }) => `${id} is revoked`,
    }),
  ],
)

const timeOf = (seconds: number): string =>
  `${new Date(seconds * 1_000).toISOString().slice(0, 16)}Z`
