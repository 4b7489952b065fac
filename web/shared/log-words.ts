import { faceTextsOf } from './face-words.ts'
import { LIVE_SETTINGS, type LiveSetting } from './generated/live-settings.ts'
import { t } from './messages.ts'
import { reasonText } from './reasons.ts'
import { cleanText } from './text.ts'

// What the log of moderation has, as people say it.

type Entry = {
  readonly action: string
  readonly name: string | null
  readonly reason: string
}

type Sentence = (who: string, name: string) => string
const SENTENCES: Readonly<Record<string, Sentence>> = {
  suspend: (who) => t('suspended {who}', { who }),
  restore: (who) => t('ended the suspension of {who}', { who }),
  limit: (who) => t('limited {who}', { who }),
  unlimit: (who) => t('ended the limit of {who}', { who }),
  warn: (who) => t('warned {who}', { who }),
  unwarn: (who) => t('took a warning of {who} back', { who }),
  hold: (who) => t('held {aPost} of {who} for review', { who }),
  hide: (who) => t('hid {aPost} of {who}', { who }),
  unhide: (who) => t('showed {aPost} of {who} again', { who }),
  release: (who) => t('showed a held {post} of {who}', { who }),
  'take-name': (who, name) => t('took the name {name} from {who}', { name, who }),
  resolve: (who, name) => t('answered a report about {who}', { who: name || who }),
  erase: (who) => t('erased everything that {who} had written', { who }),
  export: (who) => t('exported what {who} has written', { who }),
  answer: (who, name) =>
    name === 'reversed'
      ? t('answered an appeal of {who}, and took the decision back', { who })
      : t('answered an appeal of {who}, and kept the decision', { who }),
  appoint: (who, name) =>
    name === 'operator' ? t('made {who} operator', { who }) : t('made {who} moderator', { who }),
  dismiss: (who) => t('took the role of {who} away', { who }),
  'remove-file': (who) => t('removed a file of {who}', { who }),
  'remove-poll': (who) => t('removed a poll of {who}', { who }),
  'remove-app': (_, name) => t('removed the mini app {name}', { name }),
  'restore-app': (_, name) => t('brought the mini app {name} back', { name }),
  'start-recovery': (who) => t('started the move of {who} to a new key', { who }),
  'refuse-recovery': (who) => t('ended a request for the account {who}', { who }),
  'approve-join': (_, name) => (name ? t('let “{name}” in', { name }) : t('let somebody in')),
  'decline-join': (_, name) =>
    name
      ? t('declined the request of “{name}” to join', { name })
      : t('declined the request of somebody to join'),
  'list-term': (_, name) => t('has {posts} with “{name}” held for review', { name: termIn(name) }),
  'unlist-term': (_, name) => t('has {posts} with “{name}” held no more', { name: termIn(name) }),
  'limit-newcomers': () => t('changed what new accounts may send'),
}

/** The term alone: the log records it with its kind, as in `word “boats”`. */
const termIn = (name: string): string => /^(?:word|domain) “(.*)”$/s.exec(name)?.[1] ?? name

/** What is recorded where nobody gave a reason: what was done says it all. */
const NO_REASON: Readonly<Record<string, readonly string[]>> = {
  describe: ['edited', 'uploaded a picture'],
  'list-term': ['edited'],
  'unlist-term': ['edited'],
  'limit-newcomers': ['edited'],
  'approve-join': ['-'],
  'decline-join': ['-'],
  export: ['export'],
  // By its owner, whom the entry names.
  erase: ['asked for by the custody address'],
}

/** What was done, to whom. */
export function actText({ action, name, reason }: Entry, who: string): string {
  const text = cleanText(name ?? '')
  if (action === 'describe')
    return t('changed “About this server”: {fields}', { fields: faceTextsOf(text) })
  if (action === 'set') return changeText(text, reason)
  return SENTENCES[action]?.(who, text) ?? action
}

/** Why, in the words of who did it, or nothing; of a change of a setting what follows its values. */
export function whyText({ action, name, reason }: Entry): string {
  if (action === 'set') {
    const why = isOther(name ?? '') ? DEED.exec(reason)?.[2] : CHANGE.exec(reason)?.[3]
    return cleanText(why ?? '')
  }
  return NO_REASON[action]?.includes(reason) ? '' : reasonText(reason)
}

const CHANGE = /^from "(.*?)" (?:back )?to "(.*?)"(?: of the environment)?(?:: (.*))?$/s

/** What is changed in the room and is no setting of the environment. */
const OTHER_TITLES: Readonly<Record<string, string>> = {
  translator: t('Translator'),
  'mail server': t('Mail server'),
}
const isOther = (name: string): boolean => Object.hasOwn(OTHER_TITLES, name)

/** What was done to it, and why. Of a translator the log has which one it is. */
const DEED = /^(set up|changed|removed|none|.*? characters in 30 days)(?:: (.*))?$/s

function deedText(title: string, deed: string | undefined): string {
  if (deed === 'set up') return t('set up “{title}”', { title })
  if (deed === 'removed' || deed === 'none') return t('removed “{title}”', { title })
  return t('changed “{title}”', { title })
}

function changeText(variable: string, reason: string): string {
  if (isOther(variable)) return deedText(OTHER_TITLES[variable]!, DEED.exec(reason)?.[1])
  const setting = LIVE_SETTINGS[variable]
  const title = setting?.title ?? variable
  const found = CHANGE.exec(reason)
  if (!found) return t('changed “{title}”', { title })
  const [from = '', to = ''] = found.slice(1, 3).map((value) => valueText(value, setting))
  return t('changed “{title}”: from {from} to {to}', { title, from, to })
}

/** As the settings show it. */
function valueText(value: string, setting: LiveSetting | undefined): string {
  const words = setting?.choices?.[value]
  if (words !== undefined) return words
  if (value === '') return t('nothing')
  if (value === setting?.off) return t('off')
  return cleanText(value)
}
