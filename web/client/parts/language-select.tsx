import { LANGUAGES } from '../../../src/kernel/base/languages/languages.ts'
import { t } from '../../shared/messages.ts'
import { chooseLanguage, chosenLanguage } from '../session/language.ts'
import { useSession } from '../session/session.tsx'

/** Chooses the language of the pages, which are loaded again in it. */
export function LanguageSelect() {
  const { fid } = useSession()
  return (
    <select
      aria-label={t('Language')}
      defaultValue={chosenLanguage()}
      onChange={({ target }) => void chooseLanguage(target.value, fid)}
    >
      <option value="">{t('As the browser says')}</option>
      {LANGUAGES.map(({ code, name }) => (
        <option key={code} value={code} lang={code}>
          {name}
        </option>
      ))}
    </select>
  )
}
