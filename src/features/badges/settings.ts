import {
  inBothModes,
  parseInteger,
  parseList,
  type SettingGroup,
  type SettingValues,
  setting,
} from '../../kernel/base/setting.ts'

const settings = {
  badgeSeeds: setting({
    variable: 'ROOKERY_BADGE_SEEDS',
    what: 'Fids, comma separated, that trust begins with when power badges are computed; the ten oldest accounts unless given (docs/power-badges.md).',
    defaults: inBothModes(''),
    parse: (text) => parseList(text).map((fid) => parseInteger(fid, 1, 2 ** 32 - 1)),
  }),
  badgeMax: setting({
    variable: 'ROOKERY_BADGE_MAX',
    what: 'How many accounts have a power badge at most; 0 computes none.',
    defaults: inBothModes('10000'),
    parse: (text) => parseInteger(text, 0, 100_000),
  }),
}

export const BADGE_SETTINGS = {
  title: 'Power badges',
  settings,
} satisfies SettingGroup

export type BadgeConfig = SettingValues<typeof settings>

/** What an operator decides about badges. */
export type BadgeSettings = {
  /** The fids of the seeds; the oldest accounts when empty. */
  readonly seeds: readonly number[]
  /** The part of all trust that badge holders together have, 0 to 1. */
  readonly part: number
  /** The most badges; 0 turns the computation off. */
  readonly max: number
}

/** Badges go to the accounts that together hold this part of all trust: a larger one reaches accounts that one other trusts. */
const BADGE_PART = 0.5

export const badgeSettingsOf = (config: BadgeConfig): BadgeSettings => ({
  seeds: config.badgeSeeds,
  part: BADGE_PART,
  max: config.badgeMax,
})
