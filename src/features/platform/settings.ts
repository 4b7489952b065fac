import { portSetting, type SettingGroup, type SettingValues } from '../../kernel/base/setting.ts'

const settings = {
  platformPort: portSetting('ROOKERY_PLATFORM_PORT', 'the client platform', 2286),
}

export const PLATFORM_SETTINGS = {
  title: 'Client platform',
  settings,
} satisfies SettingGroup

export type PlatformConfig = SettingValues<typeof settings>
