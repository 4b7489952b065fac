import { optionalSetting, portSetting, type SettingGroup, type SettingValues } from '../setting.ts'

const settings = {
  opsPort: portSetting('ROOKERY_OPS_PORT', 'operations, on loopback', 2280),
  opsToken: optionalSetting({
    variable: 'ROOKERY_OPS_TOKEN',
    what: 'Token that operator calls and metrics ask for. Operator calls are off in production without one.',
    parse: (text) => parseLongEnough(text, 16),
    secret: true,
  }),
}

export const OPS_SETTINGS = {
  title: 'Operations',
  settings,
} satisfies SettingGroup

export type OpsConfig = SettingValues<typeof settings>

function parseLongEnough(text: string, characters: number): string {
  if (text.length < characters) throw new Error(`must have at least ${characters} characters`)
  return text
}
