import { portSetting, type SettingGroup, type SettingValues } from '../../kernel/base/setting.ts'

const settings = {
  webPort: portSetting(
    'ROOKERY_WEB_PORT',
    'the front door: the web client, and every public interface below its prefix',
    2290,
  ),
}

export const WEB_SETTINGS = {
  title: 'Front door',
  settings,
} satisfies SettingGroup

export type WebConfig = SettingValues<typeof settings>
