import { h, render } from 'preact'
import { showAppearance } from './core/appearance.ts'
import { language } from './core/language.ts'
import { App } from './shell/app.ts'

document.documentElement.lang = language()
showAppearance()
const place = document.getElementById('console')
if (place) render(h(App, null), place)
