/** The language that was chosen, for as long as the browser keeps it. */
export const LANGUAGE_COOKIE = 'rookery-language'
/** That of a link (`?lang=`), for the visit that began with it. */
export const VISIT_COOKIE = 'rookery-visit-language'
