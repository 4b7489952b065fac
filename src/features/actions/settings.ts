import {
  type GivenSettings,
  parseChoice,
  type SettingGroup,
  type SettingValues,
  setting,
} from '../../kernel/base/setting.ts'

const settings = {
  fetchLoopback: setting({
    variable: 'ROOKERY_FETCH_LOOPBACK',
    what: 'true: documents of actions, mini apps with their webhooks, and previewed pages may be on this machine, over http; only for development.',
    defaults: { development: 'true', production: 'false' },
    parse: (text) => parseChoice(text, { true: true, false: false }),
  }),
}

export const ACTION_SETTINGS = {
  title: 'Actions',
  settings,
  check,
} satisfies SettingGroup

export type ActionConfig = SettingValues<typeof settings>

function check({ mode, values }: GivenSettings): string[] {
  const { variable } = settings.fetchLoopback
  return mode === 'production' && values.fetchLoopback === true
    ? [
        `${variable} is for development: in production it would let users fetch URLs of this machine`,
      ]
    : []
}
