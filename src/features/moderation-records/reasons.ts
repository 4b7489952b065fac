import type { Values } from '../../kernel/base/languages/format.ts'

// Reasons of decisions that nobody writes by hand: those with which the page of moderators begins, and those that the server gives
// itself to members or in the log. They are recorded in English, whoever decides, and told in the language of who reads them.

type Tell = (message: string, values?: Values) => string

/** How long a suspension is said to last, by its days; '' is for good. */
const endsIn = (say: Tell): Readonly<Record<string, string>> => ({
  '': say('The account is suspended for good.'),
  1: say('The account is suspended for one day.'),
  7: say('The account is suspended for a week.'),
  30: say('The account is suspended for 30 days.'),
})

const byEnd = <T>(say: Tell, reason: (end: string) => T): Readonly<Record<string, T>> =>
  Object.fromEntries(Object.entries(endsIn(say)).map(([days, end]) => [days, reason(end)]))

/** In English, or in the language of a `say`. */
export const reasonsIn = (say: Tell) => ({
  leave: [
    say('Thank you. We have read it, and it does not break our rules.'),
    say('Thank you. It is not kind, but it is allowed here. You can mute or block the author.'),
    say('We cannot see what is wrong with it. Report it again and tell us more.'),
  ],
  warn: [
    say('This does not fit our rules. Please read them before you write again.'),
    say('Please write about what somebody says, not about who they are.'),
    say('Please advertise less. Next time we hide it.'),
  ],
  hide: [
    say('This breaks our rules, so we have hidden it. Nothing else of the account changes.'),
    say('This is advertising, which is not welcome here. We have hidden it.'),
    say('This attacks a person. Write about what somebody says, not about who they are.'),
  ],
  'remove-poll': [
    say('This poll breaks our rules, so we have removed it.'),
    say('This poll attacks a person. We have removed it.'),
  ],
  limit: [
    say(
      'The account writes a lot that few want to read. It is shown to its followers only for now.',
    ),
    say('The account mostly advertises. It is shown to its followers only.'),
  ],
  suspend: byEnd(say, (end) => [
    say('This breaks our rules. {end}', { end }),
    say('The account only advertises. {end}', { end }),
    say('The account passes itself off as somebody else. {end}', { end }),
  ]),
  /** Where something was decided before. */
  suspendAgain: byEnd(say, (end) =>
    say('This is not the first time that our rules were broken. {end}', { end }),
  ),
  server: {
    suspensionIsOver: say('The time of the suspension is over.'),
    held: say('Nobody else sees it before a moderator has looked at it.'),
    deleted: say('Its author has deleted it.'),
    invited: say('You joined by an invite with this role.'),
    moved: say('the account was moved to another custody address'),
  },
  /** In the log alone, of moves of lost accounts. */
  recovery: {
    mailed: say('a link that was sent to the address'),
    stopped: say('stopped with the link of a mail'),
    takenBack: say('taken back by who had asked'),
    displaced: say(
      'too many moves that began with a mail wait: the newest of the place most come from made room',
    ),
    off: say('the recovery service was turned off: the move is an undecided request again'),
  },
})

const english: Tell = (message, values = {}) =>
  message.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name]))

export const REASONS = reasonsIn(english)

/** Each reason by itself, in the same order for every `say`. */
export const allReasons = (of: ReturnType<typeof reasonsIn>): string[] =>
  Object.values(of).flatMap((some) => Object.values<string | string[]>(some).flat())

const ALL = allReasons(REASONS)

const BEGIN = 'Rule “'
const END = '”: '
export const withRule = (rule: string, reason: string): string => BEGIN + rule + END + reason

/** The rule with which a reason begins, if it does, and what follows. A rule may itself have what ends it: one of the list follows then. */
export function partsOfReason(reason: string): { rule: string | undefined; words: string } {
  const known = ALL.find((words) => reason.endsWith(END + words))
  const end = known === undefined ? reason.indexOf(END) : reason.length - (END + known).length
  return reason.startsWith(BEGIN) && end > BEGIN.length
    ? { rule: reason.slice(BEGIN.length, end), words: reason.slice(end + END.length) }
    : { rule: undefined, words: reason }
}

/** A recorded reason as it is told to somebody; what a moderator wrote stays as it is. */
export function reasonTold(reason: string, say: Tell): string {
  const { rule, words } = partsOfReason(reason)
  const at = ALL.indexOf(words)
  const told = at < 0 ? words : allReasons(reasonsIn(say))[at]!
  return rule === undefined ? told : say('Rule “{rule}”: {reason}', { rule, reason: told })
}
