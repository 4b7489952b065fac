import { languageName } from './language-name.ts'
import { t } from './messages.ts'
import { listText } from './text.ts'

// The texts of the server as people call them: the log of moderation has the names of their rows.

const FACE_WORDS: Readonly<Record<string, string>> = {
  name: t('Name'),
  description: t('Description'),
  picture: t('Picture'),
  header: t('Header picture'),
  color: t('Accent colour'),
  tone: t('Background'),
  language: t('Language of the server'),
  corners: t('Corners'),
  contact: t('Contact'),
  rules: t('Rules'),
  announcement: t('Announcement'),
  announcementEnds: t('Last day of the announcement'),
  minimumAge: t('Least age'),
  privacy: t('Privacy'),
  descriptions: t('Rule about descriptions'),
  posts: t('Words for posts'),
}

/** What `name, rules:de` of the log means: a name with a language is a translation into it. */
export const faceTextsOf = (logged: string): string =>
  listText(
    logged.split(', ').map((one) => {
      const [field = '', code] = one.split(':')
      const label = FACE_WORDS[field] ?? field
      if (code === undefined) return label
      return t('{label}, in {language}', { label, language: languageName(code) })
    }),
  )
