// Reads an OpenVEX document from the standard input with go-vex and validates each statement.
package main

import (
	"fmt"
	"io"
	"os"

	"github.com/openvex/go-vex/pkg/vex"
)

func main() {
	bytes, err := io.ReadAll(os.Stdin)
	if err != nil {
		fail(err)
	}
	document, err := vex.Parse(bytes)
	if err != nil {
		fail(err)
	}
	for index := range document.Statements {
		statement := &document.Statements[index]
		if err := statement.Validate(); err != nil {
			fail(fmt.Errorf("statement %d: %w", index, err))
		}
		for _, product := range statement.Products {
			fmt.Println(statement.Vulnerability.Name, product.ID, statement.Status)
		}
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
