import { createHash, randomUUID } from 'node:crypto'
import type { Said, Say } from '../../kernel/http/translator.ts'
import { Quota } from '../../kernel/limits/quota.ts'
import { DAY_MS, HOUR_MS } from '../../kernel/protocol/time.ts'
import type { Writer } from '../../kernel/storage/storage.ts'
import type { MailContent } from '../mail/port.ts'
import type { PushKind } from './tables/pushes.ts'
import { pushRows } from './tables/pushes.ts'

// The one way in which anything is pushed to the devices of an account: notifications of the network, and whatever other
// services tell people, such as mini apps. It stores what has to be sent; the job of sending.ts sends it.
//
//   await storage.write(`fid/${fid}`, (tx) =>
//     pushNotice(tx, { fid, kind: 'apps', title: 'Chess', body: 'It is your turn', url: '/apps/chess' }, now),
//   )

export type PushNotice = {
  /** Who is told. */
  readonly fid: number
  /** Only devices that asked for this kind are told. */
  readonly kind: PushKind
  /** Longer texts are cut. */
  readonly title: string
  readonly body: string
  /** A path of the web client, which a tap opens. */
  readonly url: string
  /** A later notice with the same tag takes the place of an earlier one; the url unless given. */
  readonly tag?: string
  /** Whose content the texts are: an erasure of that account removes what still waits. */
  readonly actor?: number
  /** Unix milliseconds, for what is worth telling for longer than PUSH_LIFETIME_MS; at most four weeks ahead. */
  readonly expiresAt?: number
}

/** What touches the account itself: all its devices are told, whatever they asked for, in the language of the account. */
export type AccountNotice = Pick<PushNotice, 'fid' | 'url' | 'expiresAt'> & {
  readonly texts: (say: Say) => { readonly title: Said; readonly body: Said }
  /** What the confirmed address is told; undefined: nothing, because it is told in another way. */
  readonly mail: ((say: Say) => MailContent) | undefined
  /** Whether the owner may lose the account without it. It is sent before others, and has a quota of its own. */
  readonly isFirst?: boolean
}

type Push = Omit<PushNotice, 'kind'> &
  Pick<AccountNotice, 'isFirst'> & { readonly kind: PushKind | 'account' }

/** Pushes of one kind that an account gets in an hour; what is beyond is only in the list of notifications. */
export const MAX_PUSHES_PER_HOUR = 60
/** Pushes that wait for one device. */
export const MAX_WAITING_PER_DEVICE = 100
/** An older push tells nothing new. */
export const PUSH_LIFETIME_MS = DAY_MS
/** Push services keep nothing for longer. */
const MAX_LIFETIME_MS = 28 * PUSH_LIFETIME_MS

const QUOTA = 'pushes'
const MAX_TITLE_CHARACTERS = 100
const MAX_BODY_CHARACTERS = 200
/** Push services take 4 kB, encrypted and in all. */
const MAX_URL_CHARACTERS = 1_024
/** Of a topic, by RFC 8030. */
const TOPIC_CHARACTERS = 32

/** Stores a push for each device of an account that wants it, at Unix ms `now`, under the lock of the fid. Returns their number. */
export async function pushNotice(
  tx: Pick<Writer, 'of' | 'quotas' | 'accounts'>,
  { fid, kind, title, body, url, ...more }: Push,
  now: number,
): Promise<number> {
  const { tag = url, actor, isFirst = false, expiresAt = now + PUSH_LIFETIME_MS } = more
  if (!url.startsWith('/') || url.startsWith('//') || url.length > MAX_URL_CHARACTERS) {
    throw new Error(`a push opens a path of the web client, not ${url.slice(0, 100)}`)
  }
  const devices = (await tx.of(pushRows).devicesOf(fid)).filter(({ kinds }) => wants(kinds, kind))
  const waiting = await tx.of(pushRows).waiting(devices.map(({ id }) => id))
  const hasRoom = ({ id }: { id: string }) => (waiting.get(id) ?? 0) < MAX_WAITING_PER_DEVICE
  // Nobody keeps an owner from learning that the account is at stake by filling the queue.
  const told = kind === 'account' ? devices : devices.filter(hasRoom)
  if (told.length === 0 || !(await consume(tx, `${fid}/${isFirst ? 'first' : kind}`, now))) return 0
  const texts = { title: cut(title, MAX_TITLE_CHARACTERS), body: cut(body, MAX_BODY_CHARACTERS) }
  const push = {
    ...{ fid, actor: actor ?? null, payload: JSON.stringify({ ...texts, url, tag }) },
    topic: createHash('sha256').update(tag).digest('base64url').slice(0, TOPIC_CHARACTERS),
    ...{
      attempts: 0,
      due: isFirst ? 0 : now,
      expires_at: Math.min(expiresAt, now + MAX_LIFETIME_MS),
    },
  }
  await tx
    .of(pushRows)
    .addWaiting(told.map(({ id }) => ({ ...push, id: randomUUID(), device: id })))
  return told.length
}

/** The kinds of a device, as they are stored. */
export const kindsText = (kinds: readonly PushKind[]): string => [...new Set(kinds)].join()
export const kindsIn = (text: string): PushKind[] =>
  text === '' ? [] : (text.split(',') as PushKind[])
const wants = (text: string, kind: Push['kind']): boolean =>
  kind === 'account' || kindsIn(text).includes(kind)

async function consume(
  { quotas }: Pick<Writer, 'quotas'>,
  subject: string,
  now: number,
): Promise<boolean> {
  const quota = new Quota(QUOTA, await quotas.used(QUOTA, [subject]))
  if (quota.tryConsume(subject, { windowMs: HOUR_MS, max: MAX_PUSHES_PER_HOUR }, now)) return false
  await quotas.put(quota.changed)
  return true
}

/** Characters that change the direction of what follows, and those without a shape; not the two with which messages keep a value apart. */
const UNSAFE = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066\u2067\s]+/gu

/** In one line, whole characters only. */
function cut(text: string, max: number): string {
  const line = [...text.replace(UNSAFE, ' ').trim()]
  return line.length <= max
    ? line.join('')
    : `${line
        .slice(0, max - 1)
        .join('')
        .trimEnd()}…`
}
