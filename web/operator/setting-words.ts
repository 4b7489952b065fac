import { t } from '../shared/messages.ts'

// Settings that the owner changes here, in the language of the page: the server names them in English, as its declarations do.

type Words = {
  readonly title: string
  readonly help: string
  readonly unit?: string
  /** Of what may be chosen, by value. */
  readonly choices?: Readonly<Record<string, string>>
}

export const SETTING_WORDS: Readonly<Record<string, Words>> = {
  ROOKERY_SIGNUP: {
    title: t('Who may join'),
    help: t(
      'Invites hold unless nobody may join. Who asks to be let in waits under “Requests to join”.',
    ),
    choices: {
      open: t('anybody'),
      invite: t('who has an invite'),
      approval: t('whom you let in, or by invite'),
      closed: t('nobody'),
    },
  },
  ROOKERY_MEMBER_INVITES: {
    title: t('Invites of each member'),
    help: t('Each is for one person, within a fortnight.'),
    unit: t('in 30 days'),
  },
  ROOKERY_MEDIA_MB_PER_FID: {
    title: t('Pictures and videos of each member'),
    help: t('So much may one member keep here. Off: nobody uploads, and what is there stays.'),
    unit: t('MB'),
  },
  ROOKERY_MEDIA_MAX_MB: {
    title: t('Pictures and videos of all together'),
    help: t('Beyond it new ones are refused.'),
    unit: t('MB'),
  },
  ROOKERY_MEDIA_VIDEO_MB: {
    title: t('Largest video'),
    help: t('At most 15. Off: pictures only.'),
    unit: t('MB'),
  },
  ROOKERY_RECOVERY_DAYS: {
    title: t('Recovery of lost accounts'),
    help: t(
      'Who has lost every key, and has allowed it before, gets the account back so long after you have decided so. Seven days are recommended; fewer than the machine says, or than seven, cannot be chosen here.',
    ),
    unit: t('days of waiting'),
  },
}

type Shown = {
  readonly variable: string
  readonly title: string
  readonly choices?: readonly { readonly value: string; readonly words: string }[]
}

/** A setting as the server tells of it, in the words of the page. */
export function translated<S extends Shown>(setting: S): S {
  const words = SETTING_WORDS[setting.variable]
  if (!words) return setting
  const { choices, ...texts } = words
  return {
    ...setting,
    ...texts,
    ...(setting.choices && {
      choices: setting.choices.map(({ value, words }) => ({
        value,
        words: choices?.[value] ?? words,
      })),
    }),
  }
}
