/** Styles of one part of a page, which the build loads with its script. */
declare module '*.css'
