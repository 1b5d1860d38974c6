import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nearest } from './suggest.ts'

const names = ['to', 'text', 'send_at', 'expires_at', 'metadata', 'LISTEN', 'LOG_LEVEL']

test('finds what somebody meant who mistyped it', () => {
  const meant = {
    too: 'to',
    txt: 'text',
    sendAt: 'send_at',
    'send-at': 'send_at',
    expire_at: 'expires_at',
    metdata: 'metadata',
    LISTN: 'LISTEN',
    loglevel: 'LOG_LEVEL',
  }
  for (const [word, name] of Object.entries(meant)) assert.equal(nearest(word, names), name, word)
})

test('takes two neighbours that changed places for one mistake', () => {
  const words = ['send', 'sent', 'read', 'admin', 'instance', 'expires_at']
  const meant = {
    snet: 'sent',
    sned: 'send',
    raed: 'read',
    amdin: 'admin',
    // Another letter is missing, too.
    isntace: 'instance',
    exprise_at: 'expires_at',
  }
  for (const [word, name] of Object.entries(meant)) assert.equal(nearest(word, words), name, word)
  for (const word of ['nets', 'dear', 'daer']) assert.equal(nearest(word, words), undefined, word)
})

test('says nothing where nothing is near', () => {
  for (const word of ['', 'xy', 'recipient', 'constructor', '__proto__'])
    assert.equal(nearest(word, names), undefined, word)
  assert.equal(nearest('to', []), undefined)
  assert.equal(nearest('', ['a']), undefined)
})

test('does not compare what is too long to be a mistyped word', () => {
  const long = 'x'.repeat(101)
  assert.equal(nearest(`${long}y`, [long]), undefined)
})
