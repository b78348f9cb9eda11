// SPDX-License-Identifier: Apache-2.0

// An agent in Go that asks before it runs a command, through belay's C interface.
//
//	CGO_CFLAGS="$(pkg-config --cflags belay)" CGO_LDFLAGS="$(pkg-config --libs belay)" \
//		go run main.go FOLDER 'COMMAND'        (FOLDER has .belay)
package main

// #include <belay.h>
// #include <stdlib.h>
// static belay_status new_engine(const char *folder, belay_engine **out, belay_error *error)
// {
//	belay_engine_options options = BELAY_ENGINE_OPTIONS_INIT;
//	belay_error none = BELAY_ERROR_INIT;
//
//	*error = none;
//	options.agent = "claude";
//	options.policy_dir = folder;
//	return belay_engine_new(&options, out, error);
// }
import "C"

import (
	"encoding/json"
	"fmt"
	"os"
	"unsafe"
)

// decide says whether to go on, and what the person or the model is told.
func decide(engine *C.belay_engine, command string) (bool, string) {
	event, err := json.Marshal(map[string]any{
		"hook_event_name": "PreToolUse", "tool_name": "Bash",
		"tool_input": map[string]string{"command": command}})
	if err != nil {
		return false, err.Error()
	}
	payload := C.CString(string(event))
	defer C.free(unsafe.Pointer(payload))
	var reply *C.belay_reply
	message := C.belay_error{struct_size: C.sizeof_belay_error}
	status := C.belay_engine_dispatch(engine, nil, payload, C.size_t(len(event)), &reply, &message)
	if status != C.BELAY_OK { // no decision is a refusal
		return false, C.GoString(&message.message[0])
	}
	defer C.belay_reply_free(reply)
	return C.belay_reply_verdict(reply) < C.BELAY_ASK, C.GoString(C.belay_reply_user_text(reply))
}

func main() {
	folder := C.CString(os.Args[1])
	defer C.free(unsafe.Pointer(folder))
	var engine *C.belay_engine
	var message C.belay_error
	if C.new_engine(folder, &engine, &message) != C.BELAY_OK {
		fmt.Println("refused:", C.GoString(&message.message[0]))
		os.Exit(2)
	}
	defer C.belay_engine_free(engine)
	if ok, why := decide(engine, os.Args[2]); !ok {
		fmt.Println("not run:", why)
	} else {
		fmt.Println("run")
	}
}
