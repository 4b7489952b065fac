import { t } from '../../shared/messages.ts'
import type { BrowserKey } from '../act/key-store.ts'
import { callApp } from '../api.ts'
import { setBookmarked } from '../bookmarks/calls.ts'
import type { OwnLists } from '../lists/calls.ts'
import { listChange, newList, tagChange } from '../lists/own-lists.ts'
import { tokenOf } from '../moderation/calls.ts'
import { setMuted } from '../moderation/own.ts'
import type { Archive } from './read-archive.ts'
import { batchesOf, type Fault, sendItem, sendMessages } from './sending.ts'

// What is brought, step by step. Each step done once more changes nothing, so whoever stops goes on where they were.

export type Step = { run(key: BrowserKey, signal: AbortSignal): Promise<Fault[]> }
export type Plan = {
  readonly steps: readonly Step[]
  /** What is brought: how many of what, in words. */
  readonly brought: readonly string[]
  readonly isOwn: boolean
}

/** What of an archive the account may bring: of its own archive its messages and what names people by their fids, too. */
export function planOf({ kept, signed }: Archive, isOwn: boolean): Plan {
  const rows = (table: string) => kept.filter((one) => one.table === table).map(({ row }) => row)
  const words = rows('muted_term')
  const tags = rows('followed_tag')
  const lists = rows('people_list')
  const marks = rows('bookmark')
  const mutes = isOwn ? rows('app_mute').filter(({ app }) => app === '*') : []
  const members = isOwn ? rows('people_list_member') : []
  const { batches, bad } = batchesOf(isOwn ? signed : [])
  const listOf = ownLists()
  const steps = [
    ...(bad.length > 0 ? [{ run: async () => bad }] : []),
    ...batches.map((lines): Step => ({ run: (_, signal) => sendMessages(lines, signal) })),
    ...words.map(({ kind, term }) =>
      step(t('The mute of “{term}”', { term: `${term}` }), (key) =>
        setMuted(key, kind === 'channel' ? { channel_id: `${term}` } : { word: `${term}` }, true),
      ),
    ),
    ...mutes.map(({ mutedFid }) =>
      step(t('The mute of account {fid}', { fid: `${mutedFid}` }), (key) =>
        setMuted(key, { fid: Number(mutedFid) }, true),
      ),
    ),
    ...tags.map(({ tag }) => step(`#${tag}`, (key) => change(key, tagChange(`${tag}`, true)))),
    ...lists.flatMap(({ id, name }) => [
      step(t('The list “{name}”', { name: `${name}` }), (key) => listOf(key, `${name}`)),
      ...members
        .filter(({ listId }) => listId === id)
        .map(({ memberFid }) =>
          step(
            t('Account {fid} on the list “{name}”', { fid: `${memberFid}`, name: `${name}` }),
            async (key) =>
              change(key, listChange(await listOf(key, `${name}`), Number(memberFid), true)),
          ),
        ),
    ]),
    ...marks.map(({ castHash }) =>
      step(t('The bookmark of {hash}', { hash: `${`${castHash}`.slice(0, 10)}…` }), (key) =>
        setBookmarked(key, `${castHash}`, true),
      ),
    ),
  ]
  const brought = [
    [isOwn ? signed.length : 0, messagesText],
    [words.length + mutes.length, mutesText],
    [tags.length, tagsText],
    [lists.length, isOwn ? listsText : listNamesText],
    [marks.length, bookmarksText],
  ] as const
  return {
    steps,
    isOwn,
    brought: brought.flatMap(([count, textOf]) => (count > 0 ? [textOf(count)] : [])),
  }
}

const messagesText = (count: number) =>
  t(
    '{count, plural, one {# signed message: {posts}, follows, likes and profile} other {# signed messages: {posts}, follows, likes and profile}}',
    { count },
  )
const mutesText = (count: number) => t('{count, plural, one {# mute} other {# mutes}}', { count })
const tagsText = (count: number) =>
  t('{count, plural, one {# followed tag} other {# followed tags}}', { count })
const listsText = (count: number) =>
  t('{count, plural, one {# list of people} other {# lists of people}}', { count })
const listNamesText = (count: number) =>
  t('{count, plural, one {# name of a list} other {# names of lists}}', { count })
const bookmarksText = (count: number) =>
  t('{count, plural, one {# bookmark} other {# bookmarks}}', { count })

const step = (what: string, work: (key: BrowserKey) => Promise<unknown>): Step => ({
  run: (key, signal) => sendItem(what, () => work(key), signal),
})

const change = async (key: BrowserKey, { path, method, body }: ReturnType<typeof tagChange>) =>
  callApp(path, { method, body, token: await tokenOf(key) })

/** The id of the list of a name, which is made unless there is one. Asked for once. */
function ownLists() {
  const known = new Map<string, string>()
  return async (key: BrowserKey, name: string): Promise<string> => {
    const read = async () => {
      const { lists } = await callApp<OwnLists>('/list/own', { token: await tokenOf(key) })
      for (const one of lists) known.set(one.name, one.id)
      return known.get(name)
    }
    const present = known.get(name) ?? (await read())
    if (present) return present
    await change(key, newList(name))
    return (await read())!
  }
}
