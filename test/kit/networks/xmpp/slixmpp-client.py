"""
A client of slixmpp, as an account of a server without encryption: `slixmpp-client.py ADDRESS PASSWORD PORT`. It prints each message as
a line of JSON, as its plugins read it, and performs the orders that it reads as lines of JSON. It ends when its standard input does.
"""

import asyncio
import json
import sys

import slixmpp
from slixmpp.plugins.xep_0080.stanza import Geoloc
from slixmpp.xmlstream import register_stanza_plugin
from slixmpp.xmlstream.handler import Callback
from slixmpp.xmlstream.matcher import StanzaPath

plugins = [
    "xep_0172",  # User Nickname
    "xep_0184",  # Message Delivery Receipts
    "xep_0308",  # Last Message Correction
    "xep_0333",  # Chat Markers
    "xep_0334",  # Message Processing Hints
    "xep_0359",  # Unique and Stable Stanza IDs
    "xep_0424",  # Message Retraction, of its version 0.3
    "xep_0444",  # Message Reactions
    "xep_0461",  # Message Replies
]


def show(**line):
    print(json.dumps(line), flush=True)


class Client(slixmpp.ClientXMPP):
    def __init__(self, address, password):
        super().__init__(address, password)
        for plugin in plugins:
            self.register_plugin(plugin)
        self.add_event_handler("session_start", self.begin)
        # Its plugin for XEP-0080 only publishes where the account is.
        register_stanza_plugin(slixmpp.Message, Geoloc)
        # Not all messages without a body have an event of their own.
        self.register_handler(Callback("all messages", StanzaPath("message"), self.take))

    async def begin(self, _):
        self.send_presence()
        await self.get_roster()
        show(event="ready")
        reader = asyncio.StreamReader()
        await self.loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
        try:
            while line := await reader.readline():
                self.perform(**json.loads(line))
        finally:
            self.disconnect()

    def take(self, message):
        line = {"event": "message", "id": message["id"], "body": message["body"]}
        names = ("replace", "reply", "reactions", "geoloc", "store")
        read = {name: message.get_plugin(name, check=True) for name in names}
        if read["replace"] is not None:
            line["replaces"] = read["replace"]["id"]
        if read["reply"] is not None:
            line["reply"] = {"to": str(read["reply"]["to"]), "id": read["reply"]["id"]}
        if read["reactions"] is not None:
            emojis = sorted(read["reactions"]["values"])
            line["reactions"] = {"id": read["reactions"]["id"], "emojis": emojis}
        if read["geoloc"] is not None:
            # A misprint of the library hides the description.
            fields = ("lat", "lon", "text")
            line["place"] = {field: read["geoloc"][field] for field in fields}
        line["stored"] = read["store"] is not None
        show(**line)

    def perform(self, do, to, **order):
        if do == "reply":
            # It writes the fallback in the namespace of the first drafts of XEP-0461.
            message = self.make_message(mto=to, mtype="chat", mbody=order["quote"] + order["text"])
            message["reply"]["to"] = to
            message["reply"]["id"] = order["target"]
            message["feature_fallback"]["for"] = "urn:xmpp:reply:0"
            message["feature_fallback"]["fallback_body"]["start"] = "0"
            message["feature_fallback"]["fallback_body"]["end"] = str(len(order["quote"]))
            message["nick"]["nick"] = order["name"]
            message["id"] = order["id"]
            message.send()
        elif do == "react":
            self["xep_0444"].send_reactions(to, order["target"], order["emojis"])
        elif do == "correct":
            message = self.make_message(mto=to, mtype="chat", mbody=order["text"])
            message["replace"]["id"] = order["target"]
            message.send()
        elif do == "retract":
            self["xep_0424"].send_retraction(to, order["target"])
        elif do == "place":
            message = self.make_message(mto=to, mtype="chat", mbody=order["text"])
            for field, value in order["fields"].items():
                message["geoloc"][field] = value
            message.send()


address, password, port = sys.argv[1:]
client = Client(address, password)
client.connect(("127.0.0.1", int(port)), disable_starttls=True, force_starttls=False)
client.loop.run_until_complete(client.disconnected)
