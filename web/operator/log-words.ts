import { actorText } from '../shared/moderation-statistics.tsx'
import { cleanText, listText } from '../shared/text.ts'
import { words } from '../shared/words.ts'
import type { LogEntry } from './api.ts'

// What the log has, as people say it.

/** What a change of a setting is about. */
export type Titles = readonly {
  readonly variable: string
  readonly title: string
  readonly choices?: readonly { readonly value: string; readonly words: string }[]
}[]

const FACE_WORDS: Readonly<Record<string, string>> = {
  color: 'colour',
  header: 'header picture',
  tone: 'background',
  announcementEnds: 'last day of the announcement',
  minimumAge: 'least age',
  descriptions: 'rule about descriptions',
  posts: 'words for posts',
}

type Sentence = (who: string, name: string) => string
const SENTENCES: Readonly<Record<string, Sentence>> = {
  suspend: (who) => `suspended ${who}`,
  restore: (who) => `ended the suspension of ${who}`,
  limit: (who) => `limited ${who}`,
  unlimit: (who) => `ended the limit of ${who}`,
  warn: (who) => `warned ${who}`,
  hold: (who) => `held ${words.aPost} of ${who} for review`,
  hide: (who) => `hid ${words.aPost} of ${who}`,
  unhide: (who) => `showed ${words.aPost} of ${who} again`,
  release: (who) => `showed a held ${words.post} of ${who}`,
  'take-name': (who, name) => `took the name ${name} from ${who}`,
  resolve: (who, name) => `answered a report about ${name || who}`,
  erase: (who) => `erased everything that ${who} had written`,
  export: (who) => `exported what ${who} has written`,
  answer: (who, name) =>
    `answered an appeal of ${who}${name === 'reversed' ? ', and took the decision back' : ', and kept the decision'}`,
  appoint: (who, name) => `made ${who} ${name || 'moderator'}`,
  dismiss: (who) => `took the role of ${who} away`,
  'remove-file': (who) => `removed a file of ${who}`,
  'remove-poll': (who) => `removed a poll of ${who}`,
  'remove-app': (_, name) => `removed the mini app ${name}`,
  'restore-app': (_, name) => `brought the mini app ${name} back`,
  'start-recovery': (who) => `started the move of ${who} to a new key`,
  'refuse-recovery': (who) => `ended a request for the account ${who}`,
  'approve-join': (_, name) => (name ? `let “${name}” in` : 'let somebody in'),
  'decline-join': (_, name) => `declined the request of ${name ? `“${name}”` : 'somebody'} to join`,
  'list-term': (_, name) => `has posts with “${name}” held for review`,
  'unlist-term': (_, name) => `has posts with “${name}” held no more`,
  'limit-newcomers': () => 'changed what new accounts may send',
}

/** What was done, to whom. */
export function doneText(
  { action, fid, name, username, reason }: LogEntry,
  titles: Titles = [],
): string {
  const text = cleanText(name ?? '')
  if (action === 'describe') {
    const fields = text.split(', ').map((one) => `the ${FACE_WORDS[one] ?? one}`)
    return `changed ${listText(fields)}`
  }
  if (action === 'set') return `changed “${titleOf(text, titles)}”${changeOf(text, reason, titles)}`
  const who = username === undefined ? (fid ? `account ${fid}` : 'somebody') : `@${username}`
  return SENTENCES[action]?.(cleanText(who), text) ?? action
}

/** Who did it. */
export const byText = ({ actor, actorUsername }: LogEntry): string =>
  cleanText(actorText({ actor, username: actorUsername }))

/** Why, in the words of who did it; of a change of a setting what follows its values. */
export const whyText = ({ action, reason }: LogEntry): string =>
  cleanText(action === 'set' ? (CHANGE.exec(reason)?.[3] ?? '') : reason)

const CHANGE = /^from "(.*?)" (?:back )?to "(.*?)"(?: of the environment)?(?:: (.*))?$/s

const titleOf = (variable: string, titles: Titles): string =>
  titles.find((one) => one.variable === variable)?.title ?? variable

function changeOf(variable: string, reason: string, titles: Titles): string {
  const found = CHANGE.exec(reason)
  const choices = titles.find((one) => one.variable === variable)?.choices
  if (!found) return ''
  const [from, to] = found
    .slice(1, 3)
    .map((value) => choices?.find((one) => one.value === value)?.words ?? value)
  return `: from ${cleanText(from || 'nothing')} to ${cleanText(to || 'nothing')}`
}
