import Type from 'typebox'
import type { Services } from '../../app.ts'
import { signedRequest } from '../../features/snaps/asking.ts'
import { MAX_URL_CHARACTERS } from '../../kernel/http/outgoing.ts'
import { json, type Route, route } from '../../kernel/http/route.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import { DEV_TAGS } from '../context.ts'
import type { AccountOrigin } from '../origin.ts'
import { listAccounts } from '../seed.ts'
import { ask } from './exchange.ts'
import type { Presser } from './presses.ts'
import { reportOn } from './report.ts'
import { Exchange, Report } from './schemas.ts'

/** As much as a press has at most, in base64. */
const MAX_PART_CHARACTERS = 48 * 1024
const part = Type.String({ minLength: 1, maxLength: MAX_PART_CHARACTERS })
const Address = Type.String({
  minLength: 1,
  maxLength: MAX_URL_CHARACTERS,
  description: 'Of the snap, such as http://localhost:3003.',
})

/** What developers of snaps ask of their network. `web` is the address of the front door. */
export const snapRoutes = (
  services: Services,
  origin: AccountOrigin,
  web: () => string,
): Route[] => [
  route('POST /dev/snap-report', {
    callers: 'anyone',
    summary: 'What is wrong about a snap, and how to mend it',
    description:
      'How it is found, its first page, and with `pressAs` how its server verifies presses: its first button is then pressed once ' +
      'rightly and in four ways that have to be refused. The snap may be on this machine.',
    body: json(
      Type.Object(
        {
          url: Address,
          pressAs: Type.Optional(
            Type.Integer({ minimum: 1, description: 'A fid of this network, which presses.' }),
          ),
        },
        { additionalProperties: false },
      ),
    ),
    reply: Report,
    errors: ['bad_request.invalid_param'],
    cost: { cpu: 'large' },
    tags: DEV_TAGS,
    handler: async (_, { body: { url, pressAs } }) =>
      reportOn(
        url,
        pressAs === undefined ? undefined : await presserOf(services, origin, pressAs, web()),
      ),
  }),
  route('POST /dev/snap-press', {
    callers: 'anyone',
    summary: 'Press a button of a snap, and see everything',
    description:
      'Sends a JSON Farcaster Signature as it is, wrong ones too, and answers request and response with the faults of the page. With ' +
      'the method GET it goes in the header X-Snap-Payload.',
    body: json(
      Type.Object(
        {
          target: Address,
          method: Type.Optional(Type.Enum(['GET', 'POST'], { description: 'POST unless given.' })),
          header: part,
          payload: part,
          signature: part,
        },
        { additionalProperties: false },
      ),
      { maxBytes: 4 * MAX_PART_CHARACTERS },
    ),
    reply: Exchange,
    errors: ['bad_request.invalid_param'],
    cost: { cpu: 'large' },
    tags: DEV_TAGS,
    handler: async (_, { body: { target, method = 'POST', ...jfs } }) => {
      const url = URL.parse(target)
      if (!url) throw invalid('target', 'target must be a URL')
      const what = method === 'POST' ? 'a press' : 'a page for a viewer'
      return (await ask({ what, url, request: signedRequest(method, jfs) })).exchange
    },
  }),
]

async function presserOf(
  services: Services,
  origin: AccountOrigin,
  fid: number,
  web: string,
): Promise<Presser> {
  const author = (await listAccounts(services, origin)).find((one) => one.fid === fid)
  if (!author) throw invalid('pressAs', `pressAs must be an account of /dev/accounts, not ${fid}`)
  return {
    fid,
    seed: author.account.appSeed,
    now: Math.floor(Date.now() / 1_000),
    hub: `${web}/hub`,
  }
}

const invalid = (field: string, text: string) =>
  new Rejection('bad_request.invalid_param', text, { field })
