import { t } from '../shared/messages.ts'
import { cleanText } from '../shared/text.ts'
import { ask, type Person, type Standing } from './api.ts'
import type { Decision } from './parts/decide.tsx'

const CONSEQUENCES = {
  suspend: t('Everything of the account is hidden at once, and its new messages are refused.'),
  restore: t('Everything of the account is shown as before.'),
  limit: t('Trends, searches and notifications show the account only to those who follow it.'),
  unlimit: t('Trends, searches and notifications show the account as before.'),
} as const
const TITLES: Readonly<Record<keyof typeof CONSEQUENCES, (whoIs: string) => string>> = {
  suspend: (whoIs) => t('Suspend {whoIs}', { whoIs }),
  restore: (whoIs) => t('Restore {whoIs}', { whoIs }),
  limit: (whoIs) => t('Limit {whoIs}', { whoIs }),
  unlimit: (whoIs) => t('End the limit of {whoIs}', { whoIs }),
}

/** Suspending or limiting an account, or ending that. */
export const accountDecision = (
  person: Pick<Named, 'fid' | 'name'>,
  action: keyof typeof CONSEQUENCES,
): Decision => ({
  title: TITLES[action](handleOf(person)),
  consequence: CONSEQUENCES[action],
  path: `${pathOf(person)}/${action}`,
})

const pathOf = ({ fid }: Pick<Named, 'fid'>): string => `/moderation/accounts/${fid}`

type Words = (count: number) => readonly [title: string, consequence: string]
const MANY: Readonly<Record<keyof typeof CONSEQUENCES, Words>> = {
  suspend: (count) => [
    t('{count, plural, one {Suspend one account} other {Suspend # accounts}}', { count }),
    t('Everything of the accounts is hidden at once, and their new messages are refused.'),
  ],
  limit: (count) => [
    t('{count, plural, one {Limit one account} other {Limit # accounts}}', { count }),
    t('Trends, searches and notifications show the accounts only to those who follow them.'),
  ],
  restore: (count) => [
    t('{count, plural, one {Restore one account} other {Restore # accounts}}', { count }),
    t('Everything of the accounts is shown as before.'),
  ],
  unlimit: (count) => [
    t('{count, plural, one {End the limit of one account} other {End the limit of # accounts}}', {
      count,
    }),
    t('Trends, recommendations, searches and notifications show the accounts as before.'),
  ],
}
const TOLD: Readonly<Record<keyof typeof CONSEQUENCES, string>> = {
  suspend: t('Suspended.'),
  restore: t('Restored.'),
  limit: t('Limited.'),
  unlimit: t('The limit has ended.'),
}

const STOOD: Readonly<Record<Begun, (count: number) => string>> = {
  suspend: (count) =>
    t(
      '{count, plural, one {One account was suspended already and was left as it was.} other {# accounts were suspended already and were left as they were.}}',
      { count },
    ),
  limit: (count) =>
    t(
      '{count, plural, one {One account was limited already and was left as it was.} other {# accounts were limited already and were left as they were.}}',
      { count },
    ),
}

/** What can be taken back: how it shows in the list and to who asks about the account, and what ends it. */
const BEGUN = {
  suspend: { shown: 'isSuspended', known: 'suspended', end: 'restore' },
  limit: { shown: 'isLimited', known: 'limited', end: 'unlimit' },
} as const
type Begun = keyof typeof BEGUN

/** Those of the accounts that are not suspended, or limited, yet: to suspend one again would end the time for which it is. */
export const notYet = (people: readonly Person[], action: Begun): Person[] =>
  people.filter((person) => !person[BEGUN[action].shown])

/** Suspending an account, with what takes that back, or restoring it. */
export const suspension = (person: Person): Decision =>
  person.isSuspended
    ? ending([person], 'restore')
    : { ...accountDecision(person, 'suspend'), ...wayBack([person], 'suspend') }

/** The same for several accounts; `choose` gets those that are left when it is done or stopped. */
export function accountsDecision(
  people: readonly Person[],
  action: Begun,
  choose: (left: readonly Person[]) => void,
): Decision {
  const several = severalOf(people, action)
  const done: Decision['done'] = (left) =>
    choose(people.filter((_, at) => left.includes(several.each[at]!)))
  return { ...several, ...wayBack(people, action), done }
}

function severalOf(people: readonly Person[], action: keyof typeof CONSEQUENCES) {
  const [title, consequence] = MANY[action](people.length)
  const each = people.map((person) => ({
    path: accountDecision(person, action).path,
    name: personText(person),
  }))
  return { title, consequence, path: '', each }
}

/** What is told when it is done, and what takes it back for those whom it has changed. */
function wayBack(
  people: readonly Person[],
  action: Begun,
): Pick<Decision, 'told' | 'stood' | 'stoodText' | 'undo'> {
  const byPath = new Map(people.map((person) => [accountDecision(person, action).path, person]))
  const { known, end } = BEGUN[action]
  return {
    told: TOLD[action],
    stoodText: STOOD[action],
    stood: async ({ path }) => (await ask<Standing>(pathOf(byPath.get(path)!)))[known],
    undo: (changed) =>
      ending(
        changed.map(({ path }) => byPath.get(path)!),
        end,
      ),
  }
}

const ending = (people: readonly Person[], action: 'restore' | 'unlimit'): Decision => ({
  ...(people.length === 1 ? accountDecision(people[0]!, action) : severalOf(people, action)),
  told: TOLD[action],
})

/** `@kim (Kim Magpie)`, or the number of an account without a name. */
export const personText = ({ fid, name, displayName }: Named): string => {
  const handle = handleOf({ fid, name })
  return displayName
    ? t('{handle} ({displayName})', { handle, displayName: cleanText(displayName) })
    : handle
}
type Named = Pick<Person, 'fid' | 'name' | 'displayName'>

export const handleOf = ({ fid, name }: Pick<Named, 'fid' | 'name'>): string =>
  name === undefined ? t('account {fid}', { fid: String(fid) }) : `@${cleanText(name)}`

/** Everything that an account has written, for good. */
export const eraseDecision = (person: Person): Decision => ({
  title: t('Erase {who}', { who: handleOf(person) }),
  button: t('Erase for good'),
  consequence: t(
    'Everything that {person} has written on this server is deleted for good: {postsText, plural, one {# {post}} other {# {posts}}} of {messages, plural, one {# message} other {# messages}}, with its pictures, its profile and what others see of it. This cannot be undone. The account itself stays: suspend it, too, if it must not write any more.',
    { person: personText(person), postsText: person.posts, messages: person.messages },
  ),
  path: `/moderation/accounts/${person.fid}/erase`,
  typed: person.name === undefined ? String(person.fid) : handleOf(person),
})

const CAST_CONSEQUENCES = {
  hide: t('The {post} is hidden on all interfaces at once. Reactions and replies to it stay.'),
  unhide: t('The {post} is shown again.'),
} as const

const shortOf = (hash: string): string => `${hash.slice(0, 10)}…`

/** Hiding a cast, or ending that. */
export const castDecision = (hash: string, action: keyof typeof CAST_CONSEQUENCES): Decision => ({
  title:
    action === 'hide'
      ? t('Hide {post} {hash}', { hash: shortOf(hash) })
      : t('Show {post} {hash}', { hash: shortOf(hash) }),
  consequence: CAST_CONSEQUENCES[action],
  path: `/moderation/casts/${encodeURIComponent(hash)}/${action}`,
})

const APP_ACTIONS = {
  remove: {
    title: (domain: string) => t('Remove mini app {domain}', { domain }),
    consequence: t(
      'Nobody can open it or list it again. Its notifications are refused, its snaps are plain links, and nothing is sent to it.',
    ),
  },
  block: {
    title: (domain: string) => t('Block {domain}', { domain }),
    consequence: t(
      'Its snaps are plain links, a mini app of it cannot be opened or listed, and nothing is sent to it.',
    ),
  },
  restore: {
    title: (domain: string) => t('Restore mini app {domain}', { domain }),
    consequence: t('It is listed again, with the users who have added it.'),
  },
} as const

/** Removing a mini app, blocking a host that need not have one, or ending either. */
export const miniAppDecision = (domain: string, action: keyof typeof APP_ACTIONS): Decision => ({
  title: APP_ACTIONS[action].title(domain),
  consequence: APP_ACTIONS[action].consequence,
  path: '/platform/removed-mini-apps',
  method: action === 'restore' ? 'DELETE' : 'POST',
  body: { domain },
})
