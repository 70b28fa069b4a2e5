package document_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/triptych-mcp/triptych/debugger/document"
)

func Example() {
	lib, err := document.Open(document.Config{}, slog.Default())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer lib.Close()
	const orders = `<orders><order total="90"/><order total="120"><customer>Ada</customer></order></orders>`

	found, err := lib.Query(context.Background(), document.QueryRequest{Document: orders, Query: "//order[@total > 100]/customer"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, item := range found.Items {
		fmt.Println(item.Path, item.Markup)
	}

	_, err = lib.Validate(context.Background(), document.ValidateRequest{
		Document: orders,
		Schema: `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="orders"><xs:complexType><xs:sequence>
			<xs:element name="order" maxOccurs="unbounded"><xs:complexType><xs:attribute name="total" type="xs:int"/></xs:complexType></xs:element>
		</xs:sequence></xs:complexType></xs:element></xs:schema>`,
	})
	if wrong, ok := errors.AsType[*document.ViolationsError](err); ok {
		for _, v := range wrong.Violations {
			fmt.Println(v)
		}
	}
	// Output:
	// /orders[1]/order[2]/customer[1] <customer>Ada</customer>
	// line 1:47 /orders[1]/order[2]/customer[1]: This element is not expected.
}
