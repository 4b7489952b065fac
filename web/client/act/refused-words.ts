import { t } from '../../shared/messages.ts'

// What people read of a refused message. The server's own words are for programs, and its codes, which are those of deployed
// hubs, stand for several refusals: titles do not.

const FOR_PEOPLE: readonly (readonly [said: RegExp, sentence: string])[] = [
  [
    /^Suspended: /,
    t(
      'Your account is suspended on this server. “Reports” in the settings says why, and there you can appeal.',
    ),
  ],
  [
    /^Storage full: /,
    t('This server is full. It takes nothing new until its operator makes room.'),
  ],
  [/^Overloaded: /, t('This server has too much to do at the moment. Try again in a minute.')],
  [/^Unavailable: /, t('This server has trouble storing anything. Try again in a minute.')],
  [/^Blocked: /, t('You cannot reply to, mention or quote somebody who blocks you.')],
  [/^Erased: /, t('What you wrote here is being erased. Try again in a few minutes.')],
  [/^Unknown fid: /, t('This server does not know your account.')],
  [
    /^No storage: fid /,
    t(
      'You keep as much as one account may on this server. Remove something that you no longer need first.',
    ),
  ],
  [
    /^Too many requests: rate limit /,
    t('You have sent as much as an account may in a day. Try again later.'),
  ],
]

/** `details` is what the server says, `title` names the kind of refusal. */
export function refusedWords(title: unknown, details: unknown): string | undefined {
  const known = FOR_PEOPLE.find(([said]) => said.test(`${title}: ${details}`))
  return known?.[1] ?? (typeof details === 'string' ? details : undefined)
}
